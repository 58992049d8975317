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
import { pathToFileURL } from 'node:url';
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
await keepMarks();
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
 * Puts marks of plugins as their modules have them into the bundle, so that a run may go on in the other. A
 * plugin of a user has the mark of a plugin of Lethe only with all its declarations and functions.
 */
async function keepMarks() {
  const place = 'bundled=module';
  const holders = output.filter((one) => one.type === 'chunk' && one.code.includes(place));
  if (holders.length !== 1) throw new Error(`${holders.length} files of the bundle have marks of plugins`);
  const [here, there] = await Promise.all([
    marksIn(({ name }) => join(out, `${name}.js`)),
    marksIn(({ file }) => file),
  ]);
  const pairs = new Map([...here].map(([which, mark]) => [mark, there.get(which)]));
  if (pairs.size === 0 || [...here].some(([which, mark]) => pairs.get(mark) !== there.get(which)))
    throw new Error('plugins of one mark in the bundle have different marks in their modules');
  const file = join(out, holders[0].fileName);
  const changed = [...pairs].filter(([mark, other]) => mark !== other).map((pair) => pair.join('='));
  const code = readFileSync(file, 'utf8').replace(place, [place, ...changed].join(' '));
  writeFileSync(file, code);
}

/**
 * Marks of all plugins that packages export, by package, export and place in a list.
 *
 * @param {(entry: (typeof entries)[number]) => string} fileOf
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function marksIn(fileOf) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(file).href);
  const curator = entries.find(({ name }) => name === '@lethe/curator');
  if (curator === undefined) throw new Error('the bundle has no @lethe/curator');
  const { pluginMark } = await load(fileOf(curator));
  const all = await Promise.all(
    entries.map(async (entry) =>
      Object.entries(await load(fileOf(entry))).flatMap(([name, exported]) =>
        (Array.isArray(exported) ? exported : [exported]).map((one, k) => [
          `${entry.name} ${name} ${k}`,
          one,
        ]),
      ),
    ),
  );
  return new Map(all.flat().flatMap(([which, one]) => (isPlugin(one) ? [[which, pluginMark(one)]] : [])));
}

/** @param {unknown} one */
function isPlugin(one) {
  if ((typeof one !== 'object' && typeof one !== 'function') || one === null) return false;
  const { kind, name, params, claims } = /** @type {Record<string, unknown>} */ (one);
  return (
    typeof kind === 'string' && typeof name === 'string' && params !== undefined && Array.isArray(claims)
  );
}

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
