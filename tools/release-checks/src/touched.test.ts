import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { optimizers } from '@lethe/algorithms';
import { mechanisms } from '@lethe/mechanisms';
import { losses } from '@lethe/losses';
import { describe, expect, it } from 'vitest';
import { pluginsIn, touched } from '../../touched.mjs';
import { packageNames, root } from './repository.js';

const sources = packageNames.flatMap((name) =>
  (readdirSync(join(root, 'packages', name, 'src'), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `packages/${name}/src/${file}`),
);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('what a change touches', () => {
  it('has a suite of laws for every kind', () => {
    const suites = readdirSync(join(root, 'tools/conformance/test/laws'));
    const kinds = new Set(sources.flatMap((file) => pluginsIn(read(file)).kinds));
    expect(kinds.size).toBe(16);
    expect([...kinds].filter((kind) => !suites.includes(`${kind}.test.ts`))).toEqual([]);
    const shipped = new Set(
      [...mechanisms, ...losses, ...optimizers].map(({ kind }) =>
        kind.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`),
      ),
    );
    expect([...shipped].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it('finds nearly every shipped plugin by name in a file that defines its kind', () => {
    const found = new Set(sources.flatMap((file) => pluginsIn(read(file)).names));
    const shipped = [...mechanisms, ...losses, ...optimizers].map(({ name }) => name);
    // A name made by a function is not found; its file then stands for all plugins of its kind.
    expect(shipped.filter((name) => found.has(name)).length).toBeGreaterThan(0.7 * shipped.length);
  });

  const files: Readonly<Record<string, string>> = {
    'packages/a/src/clips/l2.ts': "export const l2 = defineClip({\n  name: 'l2',",
    'packages/a/src/clips/norms.ts': 'export const norm = 1;',
    'packages/a/src/clips/deep/part.ts': 'export const part = 1;',
    'packages/a/src/other.ts': 'export const two = defineClip({ name: `${of}` });',
    'packages/curator/src/ledger/open.ts': 'export const open = 1;',
    'packages/curator/src/curator/central.ts': 'export const central = 1;',
    'packages/numerics/src/linalg/dot.ts': 'export const dot = 1;',
  };
  const of = (...changed: string[]) =>
    touched(changed, {
      read: (file) => files[file] ?? '',
      sourcesIn: (folder) =>
        Object.keys(files).filter((file) => file.slice(0, file.lastIndexOf('/')) === folder),
    });

  it.each<readonly [string, readonly string[], object]>([
    [
      'a plugin: its laws alone',
      ['packages/a/src/clips/l2.ts'],
      { packages: ['a'], kinds: ['clip'], names: ['l2'] },
    ],
    [
      'what lies beside plugins: all of their kind',
      ['packages/a/src/clips/norms.ts'],
      { packages: ['a'], kinds: ['clip'], names: undefined },
    ],
    [
      'what lies below plugins: the same',
      ['packages/a/src/clips/deep/part.ts'],
      { packages: ['a'], kinds: ['clip'], names: undefined },
    ],
    [
      'a plugin whose name is made: all of its kind',
      ['packages/a/src/other.ts'],
      { packages: ['a'], kinds: ['clip'], names: undefined },
    ],
    [
      'the ledger',
      ['packages/curator/src/ledger/open.ts'],
      { packages: ['curator'], kinds: ['ledger', 'store', 'curator'], names: undefined },
    ],
    [
      'a plugin and the curator: all of both',
      ['packages/a/src/clips/l2.ts', 'packages/curator/src/curator/central.ts'],
      { packages: ['curator', 'a'], kinds: ['clip', 'curator', 'ledger'], names: undefined },
    ],
    [
      'what belongs to no kind',
      ['packages/numerics/src/linalg/dot.ts', 'README.md'],
      { packages: ['numerics'], kinds: [], names: undefined },
    ],
    [
      'a test: its package',
      ['packages/a/src/clips/l2.test.ts'],
      { packages: ['a'], kinds: [], names: undefined },
    ],
  ])('is told of %s', (_what, changed, expected) => {
    const { packages, ...rest } = of(...changed);
    expect({ packages: packages.toSorted(), ...rest }).toEqual({
      ...expected,
      packages: (expected as { packages: string[] }).packages.toSorted(),
    });
  });
});
