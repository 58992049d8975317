import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lawSets } from '@lethe/laws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homes, scaffold } from './scaffold.mjs';

let root: string;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lethe-new-'));
  for (const home of new Set(Object.values(homes))) {
    mkdirSync(join(root, `packages/${home}/src`), { recursive: true });
    writeFileSync(join(root, `packages/${home}/src/index.ts`), "export { old } from './old.js';\n");
  }
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each(Object.entries(homes))('a new %s', (kind, home) => {
  it('is its template under another name, with a test and an export', () => {
    const files = scaffold(root, kind, 'very-new-2');
    expect(files).toEqual(['very-new-2.ts', 'very-new-2.test.ts', 'index.ts'].map((file) => `packages/${home}/src/${file}`));
    expect(read(files[0]!)).toMatch(/export const veryNew2 = define[A-Za-z]+\(\{\n {2}name: '(lethe\/)?very-new-2',/);
    expect(read(files[1]!)).toMatch(/import \{ veryNew2 \} from '\.\/very-new-2\.js';\n\ndescribePluginLaws\(\{ describe, it \}, \(\) => veryNew2[,)].*\n$/);
    expect(read(files[2]!)).toBe("export { old } from './old.js';\nexport { veryNew2 } from './very-new-2.js';\n");
    for (const file of files) expect(read(file)).not.toMatch(/template[A-Z]|template-/);
  });

  it('never overwrites', () => {
    scaffold(root, kind, 'mine');
    const before = read(`packages/${home}/src/index.ts`);
    expect(() => scaffold(root, kind, 'mine')).toThrow('exists already');
    expect(read(`packages/${home}/src/index.ts`)).toBe(before);
  });

  it.each(['', 'Mine', '../mine', 'my_own', '-mine', 'mine-', '2nd', undefined])('refuses the name %s', (name) => {
    expect(() => scaffold(root, kind, name)).toThrow('kebab-case');
    expect(existsSync(join(root, `packages/${home}/src/${name}.ts`))).toBe(false);
  });
});

it('a kind without a template is refused with the list of those that have one', () => {
  for (const kind of ['optimiser', '__proto__', '', undefined]) expect(() => scaffold(root, kind, 'mine')).toThrow(Object.keys(homes).join(', '));
});

it('there is a template for every kind of plugin', () => {
  const kebab = (kind: string): string => kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const notPlugins = new Set(['curator', 'release', 'ledger', 'store']);
  expect(Object.keys(homes).toSorted()).toEqual(Object.keys(lawSets).filter((kind) => !notPlugins.has(kind)).map(kebab).toSorted());
});
