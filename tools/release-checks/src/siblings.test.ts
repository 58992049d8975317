import { expect, test } from 'vitest';
import { readFromSource, sourceAliases } from '../../../vitest.siblings.js';
import { packageNames, readManifest, siblingsOf } from './repository.js';

const bare = (names: Iterable<string>): readonly string[] =>
  [...names].map((name) => name.slice('@lethe/'.length));

test.each(packageNames)('no build that the tests of %s take imports what they read from source', (name) => {
  const fromSource = bare(readFromSource(`@lethe/${name}`));
  expect(fromSource).toContain(name);
  for (const built of packageNames.filter((other) => !fromSource.includes(other))) {
    expect(
      siblingsOf(readManifest(built)).filter((imported) => fromSource.includes(imported)),
      built,
    ).toEqual([]);
  }
});

test('tools take every package as built', () => {
  expect([...readFromSource('conformance')]).toEqual([]);
});

test('every entry point of a package that is read from source is found there, and no other module', () => {
  const aliases = sourceAliases(new Set(['@lethe/laws']));
  const resolved = (id: string): string | undefined => aliases.find(({ find }) => find.test(id))?.replacement;
  expect(resolved('@lethe/laws')).toMatch(/packages\/laws\/src\/index\.ts$/u);
  expect(resolved('@lethe/laws/vitest')).toMatch(/packages\/laws\/src\/vitest\.ts$/u);
  expect(resolved('@lethe/laws/package.json')).toBeUndefined();
  expect(resolved('@lethe/lawsuit')).toBeUndefined();
});
