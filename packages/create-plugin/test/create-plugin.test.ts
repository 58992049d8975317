import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlugin, kinds, problemWith } from '../src/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-create-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const filesIn = (place: string): readonly string[] =>
  (readdirSync(place, { recursive: true }) as string[])
    .filter((file) => statSync(join(place, file)).isFile())
    .toSorted();

describe.each(kinds)('a package with a new %s', (kind) => {
  it('has a plugin under its name, a test of its laws, and all that they import', () => {
    const files = createPlugin({ kind, name: 'very-new-2', folder });
    expect(files.toSorted()).toEqual(filesIn(folder));
    expect(read('very-new-2/src/very-new-2.ts')).toMatch(
      /export const veryNew2 = define[A-Za-z]+\(\{\n {2}name: '(lethe\/)?very-new-2',/u,
    );
    expect(read('very-new-2/test/very-new-2.test.ts')).toMatch(
      /import \{ veryNew2 \} from '\.\.\/src\/very-new-2\.js';\n\ndescribePluginLaws\(\{ describe, it \}, \(\) => veryNew2[,)].*\n$/u,
    );
    for (const file of files) expect(read(file)).not.toMatch(/template[A-Z]|template-/u);
    const { peerDependencies, devDependencies } = JSON.parse(read('very-new-2/package.json')) as Record<
      string,
      Record<string, string>
    >;
    const imported = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...read(file).matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/gu)].map(([, name = '']) => name),
      );
    expect([...new Set([...imported, 'typescript'])].toSorted()).toEqual(
      Object.keys({ ...peerDependencies, ...devDependencies }).toSorted(),
    );
  });
});

it('is written under the name that its kind has in code, too', () => {
  expect(createPlugin({ kind: 'lowerBound', name: 'mine', folder })).toContain('mine/src/mine.ts');
});

it('is never written over what is there', () => {
  createPlugin({ kind: 'clip', name: 'mine', folder });
  const before = read('mine/package.json');
  expect(() => createPlugin({ kind: 'sampler', name: 'mine', folder })).toThrow(
    'exists already; choose another name',
  );
  expect(read('mine/package.json')).toBe(before);
});

it.each(['', 'Mine', '../mine', 'my_own', '-mine', 'mine-', '2nd', undefined])(
  'is not written under the name %s',
  (name) => {
    expect(problemWith({ kind: 'clip', name, folder })).toContain('kebab-case');
    expect(problemWith({ kind: 'clip', name: undefined, folder })).toContain('the name is missing');
    expect(() => createPlugin({ kind: 'clip', name, folder })).toThrow('kebab-case');
    expect(readdirSync(folder)).toEqual([]);
  },
);

it.each(['optimiser', '__proto__', '', undefined])('is not written with a plugin of kind %s', (kind) => {
  expect(problemWith({ kind, name: 'mine', folder })).toContain(kinds.join(', '));
  expect(existsSync(join(folder, 'mine'))).toBe(false);
});
