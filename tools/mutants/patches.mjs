import { readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Bugs in shipped sources, for vite: a module asked for with `?patched=` and an encoded list of patches is loaded
 * with the text of one of its imports changed. Modules of the same package are loaded anew, with the query; all
 * others are those of everybody. `src/patched.ts` asks.
 *
 * @typedef {{ readonly file: string; readonly find: string; readonly put: string }} Patch A text of a file, in the
 * `src` folder of the package, and what stands in its place.
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
      return isOwn ? { ...found, id: `${fileOf(found.id)}?patched=${query}` } : found;
    },
    load(id) {
      const query = queryOf(id);
      if (query === undefined) return undefined;
      const path = fileOf(id);
      let code = readFileSync(path, 'utf8');
      for (const { file, find, put } of decoded(query)) {
        if (path !== `${sourcesOf(path)}${file}`) continue;
        const parts = code.split(find);
        if (parts.length !== 2)
          throw new Error(
            `'${find}' is ${parts.length - 1} times in ${file}, from which a mutant is made; ` +
              'give a text that is there once',
          );
        code = parts.join(put);
      }
      return code;
    },
  };
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string} id */
const fileOf = (id) => id.replace(/\?.*$/u, '');
/** @param {string} id */
const queryOf = (id) => /\?patched=([\w-]+)/u.exec(id)?.[1];
/** The `src` folder of the package of a file, with a slash. @param {string} path */
const sourcesOf = (path) => path.slice(0, path.indexOf(`${sep}src${sep}`, root.length) + 5);
/** @param {string} query @returns {readonly Patch[]} */
const decoded = (query) => JSON.parse(Buffer.from(query, 'base64url').toString());
