import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { camelCase, kinds } from '@lethe/create-plugin';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exported, listed, tabled } from './edits.mjs';
import { homes } from './homes.mjs';
import { scaffold } from './scaffold.mjs';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
let root: string;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lethe-new-'));
  mkdirSync(join(root, '.changeset'));
  for (const { package: home, folder, listFile, exportFile } of Object.values(homes)) {
    mkdirSync(join(root, `packages/${home}/src`, folder), { recursive: true });
    for (const file of [`src/${listFile}`, `src/${exportFile}`, 'README.md']) {
      mkdirSync(dirname(join(root, `packages/${home}/${file}`)), { recursive: true });
      cpSync(join(repository, `packages/${home}/${file}`), join(root, `packages/${home}/${file}`));
    }
  }
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

it('every kind has a home', () => expect(Object.keys(homes).toSorted()).toEqual(kinds.toSorted()));

describe.each(Object.entries(homes))('a new %s', (kind, { package: home, list, listFile, exportFile }) => {
  it('is written beside its siblings, registered, exported, and in the table of the README', () => {
    const files = scaffold(root, kind, 'very-new-2');
    expect(files).toContain('.changeset/very-new-2.md');
    const source = defined(files.find((file) => file.endsWith('/very-new-2.ts')));
    expect(source.startsWith(`packages/${home}/src/`)).toBe(true);
    expect(read(source)).toMatch(
      /export const veryNew2 = define[A-Za-z]+\(\{\n {2}name: '(lethe\/)?very-new-2',/u,
    );
    expect(read(`packages/${home}/src/${listFile}`)).toMatch(
      new RegExp(`\\b${list}\\b[^=]*= [^;]*\\bveryNew2,?\\s*\\]`, 'u'),
    );
    expect(read(`packages/${home}/src/${listFile}`)).toMatch(
      /^import \{ veryNew2 \} from '.*very-new-2\.js';$/mu,
    );
    expect(read(`packages/${home}/src/${exportFile}`)).toMatch(/^export \{[^}]*\bveryNew2 \}/mu);
    expect(read(`packages/${home}/README.md`)).toMatch(
      /^\| `veryNew2` \| [a-z ]+ `(?:lethe\/)?very-new-2` \| [A-Z].* \| \|$/mu,
    );
    expect(read('.changeset/very-new-2.md')).toContain(`'@lethe/${home}': minor`);
    for (const file of files)
      if (!file.endsWith('README.md')) expect(read(file)).not.toMatch(/template[A-Z]|template-/u);
  });

  it('never overwrites, and writes nothing then', () => {
    scaffold(root, kind, 'mine');
    const before = read(`packages/${home}/src/${listFile}`);
    expect(() => scaffold(root, kind, 'mine')).toThrow('exists already');
    expect(read(`packages/${home}/src/${listFile}`)).toBe(before);
  });

  it('refuses names that are not in kebab case', () => {
    for (const name of ['', 'Mine', '../mine', 'my_own', '-mine', 'mine-', '2nd', undefined]) {
      expect(() => scaffold(root, kind, name), name).toThrow('kebab-case');
      expect(existsSync(join(root, `.changeset/${name}.md`)), name).toBe(false);
    }
  });
});

it('a kind without a template is refused with the list of those that have one', () => {
  for (const kind of ['optimiser', '__proto__', '', undefined])
    expect(() => scaffold(root, kind, 'mine')).toThrow(kinds.join(', '));
});

describe('edits of lists', () => {
  const entry = { list: 'clips', constant: 'mine', from: './mine.js' };
  it('reach arrays on one line and on several', () => {
    expect(listed("import a from 'a';\nexport const clips: R = Object.freeze([a, b]);\n", entry)).toBe(
      "import a from 'a';\nimport { mine } from './mine.js';\nexport const clips: " +
        'R = Object.freeze([a, b, mine]);\n',
    );
    expect(listed("import {\n  a,\n} from 'a';\nconst clips = [\n  a,\n  b,\n] as const;\n", entry)).toBe(
      "import {\n  a,\n} from 'a';\nimport { mine } from " +
        "'./mine.js';\nconst clips = [\n  a,\n  b, mine,\n] as const;\n",
    );
  });
  it('reach the list of exports, or add a line', () => {
    expect(exported("export { x } from 'x';\nexport { a, b };\nexport const c = 1;\n", entry)).toContain(
      'export { a, b, mine };\n',
    );
    expect(exported("export { x } from 'x';\n", entry)).toBe(
      "export { x } from 'x';\nexport { mine } from './mine.js';\n",
    );
  });
  it('fail where there is no such place', () => {
    expect(() => listed("import a from 'a';\nconst others = [a];\n", entry)).toThrow("no array 'clips'");
    expect(() => listed('const clips = [a];\n', entry)).toThrow('no import');
    expect(() =>
      tabled('| `a` | sampler `a` | b | |\n', { kind: 'clip', name: 'a', constant: 'a', summary: 'a' }),
    ).toThrow('no row');
  });
  it('know constants as they are written', () => expect(camelCase('a-b2-3c')).toBe('aB23c'));
});
