import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageNames, root } from './repository.js';

const unlisted = (names: readonly string[], readme: string): readonly string[] => names.filter((name) => !readme.includes(`\`${name}\``));

describe('the README', () => {
  it.each(packageNames)('of %s lists every value its package exports', async (name) => {
    const exported = Object.keys(await import(/* @vite-ignore */ join(root, `packages/${name}/src/index.ts`)) as object);
    expect(exported.length).toBeGreaterThan(0);
    expect(unlisted(exported, readFileSync(join(root, `packages/${name}/README.md`), 'utf8'))).toEqual([]);
  });

  it('that leaves one out is caught', () => {
    expect(unlisted(['margins', 'rowNorms'], 'kernels: `rowNorms`, margins')).toEqual(['margins']);
  });
});
