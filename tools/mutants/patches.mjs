import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Bugs in shipped sources, for vite: a module asked for with `?patched=` and an encoded list of patches is
 * loaded with the text of one of its imports changed. Modules of the same package that import a changed one
 * are loaded anew, with the query; all others are those of everybody. `src/patched.ts` asks.
 *
 * With `?switched=` and the name of a list in `src/switched`, the package is loaded once for all bugs of the
 * list: each changed expression asks at run time whether its bug is on. `src/switched.ts` asks, and turns
 * bugs on.
 *
 * @typedef {{ readonly file: string; readonly find: string; readonly put: string }} Patch A text of a file, in the
 * `src` folder of the package, and what stands in its place.
 * @typedef {Patch & { readonly id: string; readonly within?: string }} Switched An expression that is once in
 * `within`, which is once in the file; left out, it is once in the file itself.
 * @returns {import('vite').Plugin}
 */
export function patches() {
  return {
    name: 'lethe:patches',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (queryOf(source) !== undefined) return source;
      const query = importer === undefined ? undefined : queryOf(importer);
      if (importer === undefined || query === undefined) return undefined;
      const from = fileOf(importer);
      const found = await this.resolve(source, from, { skipSelf: true });
      const isOwn = found !== null && !found.external && fileOf(found.id).startsWith(sourcesOf(from));
      const isChanged =
        isOwn &&
        (query.name === 'switched' || reach(fileOf(found.id), changedBy(query.value, sourcesOf(from))));
      return isChanged ? { ...found, id: `${fileOf(found.id)}?${query.name}=${query.value}` } : found;
    },
    load(id) {
      const query = queryOf(id);
      if (query === undefined) return undefined;
      const path = fileOf(id);
      const code = readFileSync(path, 'utf8');
      const isHere = (/** @type {Patch} */ { file }) => path === `${sourcesOf(path)}${file}`;
      return query.name === 'switched'
        ? withSwitches(code, listed(query.value).filter(isHere))
        : withPatches(code, decoded(query.value).filter(isHere));
    },
  };
}

/** @param {string} code @param {readonly Patch[]} list */
const withPatches = (code, list) => list.reduce(withPatch, code);

/**
 * A text with a bug.
 *
 * @param {string} code @param {Patch & { readonly within?: string }} patch
 */
export function withPatch(code, patch) {
  const { from, to } = placeOf(code, patch);
  return code.slice(0, from) + patch.put + code.slice(to);
}

/** @param {string} code @param {readonly Switched[]} list */
function withSwitches(code, list) {
  /** @type {Map<string, { from: number; to: number; bugs: Switched[] }>} */
  const places = new Map();
  for (const bug of list) {
    const { from, to } = placeOf(code, bug);
    const place = places.get(`${from} ${to}`) ?? { from, to, bugs: [] };
    place.bugs.push(bug);
    places.set(`${from} ${to}`, place);
  }
  let text = code;
  let before = code.length;
  for (const { from, to, bugs } of [...places.values()].toSorted((a, b) => b.from - a.from)) {
    if (to > before)
      throw new Error(`the bugs ${bugs.map(({ id }) => id).join()} overlap others; give less text`);
    before = from;
    const cases = bugs.map(({ id, put }) => `globalThis.letheBug === ${JSON.stringify(id)} ? (${put}) : `);
    text = `${text.slice(0, from)}(${cases.join('')}(${code.slice(from, to)}))${text.slice(to)}`;
  }
  return text;
}

/** @param {string} code @param {Patch & { readonly within?: string }} patch */
function placeOf(code, { file, find, within = code }) {
  const around = code.split(within).length === 2 ? code.indexOf(within) : -1;
  const parts = within.split(find);
  if (around < 0 || parts.length !== 2)
    throw new Error(
      `'${around < 0 ? within : find}' is ${(around < 0 ? code.split(within) : parts).length - 1} times in ` +
        `${file}, from which a mutant is made; give a text that is there once`,
    );
  const from = around + within.indexOf(find);
  return { from, to: from + find.length };
}

/**
 * Whether a source is one of these files, or imports one, itself or by others.
 *
 * @param {string} path @param {ReadonlySet<string>} changed @param {Set<string>} seen
 * @returns {boolean}
 */
function reach(path, changed, seen = new Set()) {
  if (changed.has(path)) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  return importsOf(path).some((imported) => reach(imported, changed, seen));
}

/** Sources of the same package that a source imports. @type {Map<string, readonly string[]>} */
const imports = new Map();
/** @param {string} path @returns {readonly string[]} */
function importsOf(path) {
  let known = imports.get(path);
  if (known === undefined) {
    known = [...readFileSync(path, 'utf8').matchAll(/(?:from|import) '(\.[^']*)\.js'/gu)].map(
      ([, relative]) => join(dirname(path), `${relative}.ts`),
    );
    imports.set(path, known);
  }
  return known;
}

/** Files that patches change. @param {string} query @param {string} sources @returns {ReadonlySet<string>} */
const changedBy = (query, sources) => new Set(decoded(query).map(({ file }) => `${sources}${file}`));

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

/** @param {string} id */
const fileOf = (id) => id.replace(/\?.*$/u, '');
/** @param {string} id */
function queryOf(id) {
  const found = /\?(patched|switched)=([\w-]+)/u.exec(id);
  return found === null ? undefined : { name: found[1] ?? '', value: found[2] ?? '' };
}
/** The `src` folder of the package of a file, with a slash. @param {string} path */
const sourcesOf = (path) => path.slice(0, path.indexOf(`${sep}src${sep}`, root.length) + 5);
/** @param {string} query @returns {readonly Patch[]} */
const decoded = (query) => JSON.parse(Buffer.from(query, 'base64url').toString());
/** @param {string} name @returns {readonly Switched[]} */
const listed = (name) => JSON.parse(readFileSync(`${here}/src/switched/${name}.json`, 'utf8'));
