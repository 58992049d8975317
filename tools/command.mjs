/**
 * Bundles the built `lethe` command, since loading some 1500 small modules takes longer than most commands
 * work. Each package of Lethe is an entry too, so that plugins from outside share its code
 * (`packages/lab/src/plugins/share-packages.ts`). Run after `tsc -b`; `packages/lab/bin/lethe.mjs` takes the
 * modules instead where any of them is newer or of another version. With `--if-older`, as before packing, it
 * bundles only where a package was built after the bundle.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const packages = join(import.meta.dirname, '../packages');
const lab = join(packages, 'lab/dist');
const out = join(lab, 'command');

/** Loaded rarely, or by their own files; they share the code of the bundle as plugins do. */
const apart = ['claims', 'create-plugin', 'lab'];

/**
 * @typedef {Readonly<Record<string, { readonly default?: string } | string>>} Exports
 * @typedef {{ readonly name: string; readonly version: string; readonly exports: Exports }} Manifest
 */
const bundled = readdirSync(packages)
  .filter((name) => !apart.includes(name))
  .map((name) => ({
    name,
    manifest: /** @type {Manifest} */ (
      JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    ),
  }));
const entries = bundled.flatMap(({ name, manifest }) =>
  Object.entries(manifest.exports).flatMap(([path, target]) => {
    const file = typeof target === 'string' ? undefined : target.default;
    return file === undefined
      ? []
      : [{ name: `${manifest.name}${path.slice(1)}`, file: join(packages, name, file) }];
  }),
);

/** Large packages of others that lab itself depends on stay what they are. */
const large = new Set(['@observablehq/plot', 'linkedom']);
/** Installed apart, by those who ask for what they do. */
const optional = new Set(['@duckdb/node-api', '@resvg/resvg-js']);

const stamp = join(out, 'packages.json');
if (process.argv.includes('--if-older') && existsSync(stamp)) {
  const made = statSync(stamp).mtimeMs;
  const built = readdirSync(packages).map((name) => join(packages, name, 'dist/tsconfig.tsbuildinfo'));
  if (built.every((file) => !existsSync(file) || statSync(file).mtimeMs <= made)) process.exit();
}

const own = ['bin', 'threads/worker', 'run/cell-worker', 'queue/task-worker', 'plugins/package-hook'];
rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    ...Object.fromEntries(
      own.map((name) => [name.slice(name.lastIndexOf('/') + 1), join(lab, `${name}.js`)]),
    ),
    ...Object.fromEntries(entries.map(({ name, file }) => [name, file])),
  },
  platform: 'node',
  external: (id) => isApart(id),
});
const { output } = await bundle.write({
  dir: out,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
writeFileSync(stamp, JSON.stringify(Object.fromEntries(entries.map(({ name }) => [name, `./${name}.js`]))));
writeFileSync(
  join(out, 'versions.json'),
  JSON.stringify(Object.fromEntries(bundled.map(({ name, manifest }) => [name, manifest.version]))),
);
writeFileSync(
  join(out, 'LICENSES.txt'),
  licensesOf(output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))),
);

/**
 * Whether an import leads out of the bundle.
 *
 * @param {string} id
 */
function isApart(id) {
  return (
    isBuiltin(id) ||
    large.has(id) ||
    optional.has(id) ||
    apart.some((name) => id.startsWith(`@lethe/${name}`))
  );
}

/**
 * Names and licenses of the packages of others that modules are from.
 *
 * @param {readonly string[]} modules
 */
function licensesOf(modules) {
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/u.exec(id) ?? [],
  );
  /** @type {Map<string, string[]>} */
  const namesOf = new Map();
  for (const folder of [...new Set(folders)].toSorted()) {
    const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    namesOf.set(text, [...(namesOf.get(text) ?? []), `${name} (${license})`]);
  }
  return [...namesOf].map(([text, names]) => `${names.join('\n')}\n\n${text}`).join('\n\n');
}
