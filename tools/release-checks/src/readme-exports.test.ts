import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageNames, readManifest, root } from './repository.js';

interface Built {
  readonly default: string;
}

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

/** The built files of a package's entry points; of those with a star, a folder each, none. */
const entryPoints = (name: string): readonly string[] =>
  Object.entries(readManifest(name).exports).flatMap(([path, target]) =>
    path.includes('*') || typeof target === 'string' ? [] : [(target as Built).default],
  );

async function valuesOf(name: string, file: string): Promise<readonly string[]> {
  return Object.keys((await import(/* @vite-ignore */ join(root, `packages/${name}`, file))) as object);
}

const unlisted = (names: readonly string[], readme: string): readonly string[] =>
  names.filter((name) => !readme.includes(`\`${name}\``));

describe('the README', () => {
  it.each(packageNames)('of %s lists every value its package exports', async (name) => {
    const exported: string[] = [];
    for (const file of entryPoints(name)) exported.push(...(await valuesOf(name, file)));
    expect(exported.length).toBeGreaterThan(0);
    expect(unlisted(exported, readmesOf(name))).toEqual([]);
  });

  it('of core has at most 110 values to list for its main entry point', async () => {
    expect((await valuesOf('core', 'dist/index.js')).length).toBeLessThanOrEqual(110);
  });

  it('that leaves one out is caught', () => {
    expect(unlisted(['margins', 'rowNorms'], 'kernels: `rowNorms`, margins')).toEqual(['margins']);
  });
});
