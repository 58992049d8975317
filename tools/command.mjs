/**
 * Bundles the built `lethe` command, since loading some 1500 small modules takes longer than most commands
 * work. Each package of Lethe is an entry too, so that plugins from outside share its code
 * (`packages/lab/src/plugins/share-packages.ts`). Run after `tsc -b`; `packages/lab/bin/lethe.mjs` takes the
 * modules instead where any of them is newer.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const packages = join(import.meta.dirname, '../packages');
const lab = join(packages, 'lab/dist');
const out = join(lab, 'command');

/** Packages of others that are bundled too: many small modules that most commands need. */
const others = ['commander', 'yaml', 'zod'];

/** Loaded rarely, or by their own files; they share the code of the bundle as plugins do. */
const apart = ['claims', 'create-plugin', 'lab'];

/** @typedef {{ readonly name: string; readonly exports: Readonly<Record<string, { readonly default?: string } | string>> }} Manifest */
const entries = readdirSync(packages)
  .filter((name) => !apart.includes(name))
  .flatMap((name) => {
    const manifest = /** @type {Manifest} */ (
      JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    );
    return Object.entries(manifest.exports).flatMap(([path, target]) => {
      const file = typeof target === 'string' ? undefined : target.default;
      return file === undefined
        ? []
        : [{ name: `${manifest.name}${path.slice(1)}`, file: join(packages, name, file) }];
    });
  });

const own = ['bin', 'threads/worker', 'run/cell-worker', 'plugins/package-hook'];
rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    ...Object.fromEntries(
      own.map((name) => [name.slice(name.lastIndexOf('/') + 1), join(lab, `${name}.js`)]),
    ),
    ...Object.fromEntries(entries.map(({ name, file }) => [name, file])),
  },
  platform: 'node',
  external: (id) => isOfOthers(id),
});
await bundle.write({
  dir: out,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  // Names stay: errors are told by the names of their classes.
  minify: { compress: false, mangle: false },
});
await bundle.close();
writeFileSync(
  join(out, 'packages.json'),
  JSON.stringify(Object.fromEntries(entries.map(({ name }) => [name, `./${name}.js`]))),
);
const licenses = others.map((name) => {
  const license = readFileSync(join(packages, '../node_modules', name, 'LICENSE'), 'utf8');
  return `${name}\n\n${license}`;
});
writeFileSync(join(out, 'LICENSES.txt'), licenses.join('\n'));

/**
 * Whether an import leads out of the bundle.
 *
 * @param {string} id
 */
function isOfOthers(id) {
  const [scope, name] = id.split('/');
  if (scope === '@lethe') return apart.includes(name);
  if (others.includes(id)) return false;
  return !id.startsWith('.') && !id.startsWith('/') && !/^[A-Z]:\\/iu.test(id);
}
