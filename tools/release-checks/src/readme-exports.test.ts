import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageNames, root } from './repository.js';

/** A package's README, with those of the subjects in it. */
function readmesOf(name: string): string {
  const folder = join(root, `packages/${name}`);
  const subjects = readdirSync(join(folder, 'src')).map((subject) => `src/${subject}`);
  return ['.', ...subjects]
    .map((place) => join(folder, place, 'README.md'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

const unlisted = (names: readonly string[], readme: string): readonly string[] =>
  names.filter((name) => !readme.includes(`\`${name}\``));

describe('the README', () => {
  it.each(packageNames)('of %s lists every value its package exports', async (name) => {
    const exported = Object.keys(
      (await import(/* @vite-ignore */ join(root, `packages/${name}/src/index.ts`))) as object,
    );
    expect(exported.length).toBeGreaterThan(0);
    expect(unlisted(exported, readmesOf(name))).toEqual([]);
  });

  it('that leaves one out is caught', () => {
    expect(unlisted(['margins', 'rowNorms'], 'kernels: `rowNorms`, margins')).toEqual(['margins']);
  });
});
