import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { kinds, pluginText } from '@lethe/create-plugin';
import { exported, listed, tabled } from './edits.mjs';
import { homes } from './homes.mjs';

/** @param {string | undefined} name @param {string} example @returns {asserts name is string} */
export function assertName(name, example) {
  if (name !== undefined && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/u.test(name)) return;
  throw new Error(`'${name ?? ''}' is not a name; write it in kebab-case, like ${example}`);
}

/**
 * Where a package's own index is found from a file beside the
 * plugins: no file imports the index that exports it.
 */
const within = { accountants: '../events/index.js', mechanisms: '../mechanisms.js' };

/**
 * Writes a new plugin with its test where its siblings live, registers and exports it, adds it to the
 * README's table, and notes it for the next release.
 *
 * @param {string} root the repository's root folder
 * @param {string | undefined} kind one of the kinds
 * @param {string | undefined} name kebab-case; becomes the file name, the plugin's name and, in camelCase, the exported constant
 * @returns {string[]} the files written or changed, from the root
 * @throws {Error} before anything is written, when the kind or name does not serve
 */
export function scaffold(root, kind, name) {
  const home = kinds.includes(kind ?? '') ? homes[kind ?? ''] : undefined;
  if (kind === undefined || home === undefined) {
    throw new Error(
      `'${kind ?? ''}' is not a kind with a template; choose one of: ${kinds.join(', ')}, paper`,
    );
  }
  assertName(name, `my-${kind}`);
  const place = `packages/${home.package}`;
  const source = posix.join(place, 'src', home.folder);
  const tests = home.tests === false ? [] : [`${source}/${name}.test.ts`];
  const added = [`${source}/${name}.ts`, ...tests, `.changeset/${name}.md`];
  for (const file of added)
    if (existsSync(join(root, file))) throw new Error(`${file} exists already; choose another name`);

  const { source: text, constant, test } = pluginText(kind, name);
  const called = /name: '(?<name>[^']*)'/u.exec(text)?.groups?.['name'] ?? name;
  const summary = /summary: '(?<summary>[^']*)'/u.exec(text)?.groups?.['summary'] ?? '';
  const own = `from '@lethe/${home.package}'`;
  const inside = within[/** @type {keyof typeof within} */ (home.package)];
  /** @param {string} given */
  const local = (given) => (inside === undefined ? given : given.replaceAll(own, `from '${inside}'`));
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @param {string} file @param {(before: string) => string} edit */
  const change = (file, edit) =>
    files.set(file, edit(files.get(file) ?? readFileSync(join(root, file), 'utf8')));
  /** @param {string} file below `src` */
  const from = (file) => `./${posix.relative(posix.dirname(file), posix.join(home.folder, name))}.js`;

  files.set(`${source}/${name}.ts`, local(text));
  for (const file of tests) files.set(file, local(test(`./${name}.js`)));
  change(`${place}/src/${home.listFile}`, (before) =>
    listed(before, { list: home.list, constant, from: from(home.listFile) }),
  );
  change(`${place}/src/${home.exportFile}`, (before) =>
    exported(before, { constant, from: from(home.exportFile) }),
  );
  change(`${place}/README.md`, (before) => tabled(before, { kind, name: called, constant, summary }));
  files.set(
    `.changeset/${name}.md`,
    `---\n'@lethe/${home.package}': minor\n---\n\nA new ${kind.replaceAll('-', ' ')}, ` +
      `\`${constant}\`: ${summary}\n`,
  );
  for (const [file, content] of files) writeFileSync(join(root, file), content);
  return [...files.keys()];
}
