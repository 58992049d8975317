import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which package each kind of plugin lives in; a kind has a template `template-KIND.ts` with its test. */
export const homes = {
  mechanism: 'mechanisms', selector: 'mechanisms', clip: 'mechanisms', mean: 'mechanisms', 'local-randomiser': 'mechanisms', sketch: 'mechanisms', sampler: 'mechanisms', 'prefix-sum': 'mechanisms',
  solver: 'mechanisms', domain: 'mechanisms', regulariser: 'mechanisms', event: 'mechanisms', accountant: 'accountants', loss: 'losses', optimizer: 'algorithms', 'lower-bound': 'lower-bounds',
};

/** @param {string} name */
const camelCase = (name) => name.replaceAll(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/**
 * Writes a new plugin and its test from the template of its kind and exports it from its package.
 *
 * @param {string} root the repository's root folder
 * @param {string | undefined} kind a key of {@link homes}
 * @param {string | undefined} name kebab-case; becomes the file name, the plugin's name and, in camelCase, the exported constant
 * @returns {string[]} the files written or changed, from the root
 * @throws {Error} before anything is written, when the kind or name does not serve
 */
export function scaffold(root, kind, name) {
  const home = Object.entries(homes).find(([key]) => key === kind)?.[1];
  if (home === undefined) throw new Error(`'${kind ?? ''}' is not a kind with a template; choose one of: ${Object.keys(homes).join(', ')}`);
  if (name === undefined || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) throw new Error(`'${name ?? ''}' is not a name; write it in kebab-case, like my-${kind}`);
  const source = `packages/${home}/src`;
  const files = [`${source}/${name}.ts`, `${source}/${name}.test.ts`];
  for (const file of files) if (existsSync(join(root, file))) throw new Error(`${file} exists already; choose another name`);
  for (const file of files) {
    const template = readFileSync(new URL(`./templates/template-${kind}${file.endsWith('.test.ts') ? '.test' : ''}.ts`, import.meta.url), 'utf8');
    const renamed = template.replaceAll(`template-${kind}`, name).replaceAll(camelCase(`template-${kind}`), camelCase(name));
    // A template imports the package it is meant for by name; inside that package it is the folder's index.
    writeFileSync(join(root, file), renamed.replaceAll(`from '@lethe/${home}'`, "from './index.js'"));
  }
  appendFileSync(join(root, source, 'index.ts'), `export { ${camelCase(name)} } from './${name}.js';\n`);
  return [...files, `${source}/index.ts`];
}
