import { defined } from '@lethe/numerics';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundaries } from './boundaries.mjs';
import { packageNames, root } from './repository.js';
import { run } from './run.js';

/**
 * Each file is planted in a copy of the tree's outline; `rule`
 * must report it, or nothing at all when it is undefined.
 */
interface Plant {
  readonly file: string;
  readonly text: string;
  readonly rule: string | undefined;
}

const IMPORTS = 'eslint(no-restricted-imports)';
const browserPackages = packageNames.filter(
  (name) => !['lab', 'node', 'federation', 'create-plugin'].includes(name),
);
const using = (specifier: string): string =>
  `import * as planted from '${specifier}';\n\nexport const used = planted;\n`;
const planted = (file: string, text: string, rule?: string): Plant => ({ file, text, rule });

const arrows = packageNames.flatMap((from) =>
  packageNames.map((to) =>
    planted(
      `packages/${from}/src/import-${to}.ts`,
      using(`@lethe/${to}`),
      boundaries[from].imports.includes(to) ? undefined : IMPORTS,
    ),
  ),
);

const everyPackage = packageNames.flatMap((name) => [
  planted(`packages/${name}/src/deep.ts`, using('@lethe/core/src/errors.js'), IMPORTS),
  planted(`packages/${name}/src/sibling.ts`, using('../../numerics/src/errors.ts'), IMPORTS),
  planted(`packages/${name}/src/vitest.ts`, using('vitest'), IMPORTS),
  planted(
    `packages/${name}/src/random.ts`,
    'export const r = Math.random();\n',
    'eslint(no-restricted-properties)',
  ),
  planted(
    `packages/${name}/src/random-taken.ts`,
    'export const { random } = Math;\n',
    'eslint(no-restricted-properties)',
  ),
  planted(
    `packages/${name}/src/random-detour.ts`,
    'export const r = globalThis.Math.random();\n',
    'lethe(no-global-detour)',
  ),
  planted(
    `packages/${name}/src/any.ts`,
    'export const x = (y: any): unknown => y;\n',
    'typescript(no-explicit-any)',
  ),
  planted(
    `packages/${name}/src/nested.ts`,
    'export const x = (a: boolean, b: boolean): number => (a ? 1 : b ? 2 : 3);\n',
    'eslint(no-nested-ternary)',
  ),
  planted(`packages/${name}/src/two.ts`, 'export const x = 1, y = 2;\n', 'eslint(one-var)'),
  planted(
    `packages/${name}/src/twice.ts`,
    'export const x = (a: number[]): number => { a[0] = a[1] = 2; return 1; };\n',
    'eslint(no-multi-assign)',
  ),
  planted(
    `packages/${name}/src/asserted.ts`,
    'export const x = (a: number | undefined): number => a!;\n',
    'typescript(no-non-null-assertion)',
  ),
  planted(
    `packages/${name}/src/wide.ts`,
    `// ${'word '.repeat(30)}\nexport const x = 1;\n`,
    'lethe(line-width)',
  ),
  planted(
    `packages/${name}/src/wide-text.ts`,
    `export const x = '${'word '.repeat(30)}';\n`,
    'lethe(line-width)',
  ),
  planted(`packages/${name}/src/wide-pattern.ts`, `export const x = /${'word '.repeat(30)}/u;\n`),
  planted(`packages/${name}/src/wide-page.ts`, `export const x = \`\n${'word '.repeat(30)}\n\`;\n`),
  planted(
    `packages/${name}/src/console.ts`,
    "console.log('x');\nexport const x = 1;\n",
    'eslint(no-console)',
  ),
  planted(
    `packages/${name}/src/long.ts`,
    Array.from({ length: 651 }, (_, i) => `export const b${i} = 1;\n`).join(''),
    'eslint(max-lines)',
  ),
  planted(
    `packages/${name}/src/type.ts`,
    "import { Thing } from './thing.js';\n\nexport const x = (y: Thing): Thing => y;\n",
    'typescript(consistent-type-imports)',
  ),
  planted(
    `packages/${name}/src/cycle-a.ts`,
    "import { b } from './cycle-b.js';\n\nexport const a = (): unknown => b;\n",
    'import(no-cycle)',
  ),
  planted(
    `packages/${name}/src/cycle-b.ts`,
    "import { a } from './cycle-a.js';\n\nexport const b = (): unknown => a;\n",
    'import(no-cycle)',
  ),
  planted(
    `packages/${name}/src/clean.ts`,
    "import { z } from 'zod';\n\nexport const day = (text: string): " +
      'Date => (z.string().parse(text), new Date(text));\n',
  ),
  planted(
    `packages/${name}/src/any.test.ts`,
    packageNames.map((other, i) => `import * as m${i} from '@lethe/${other}';\n`).join('') +
      `import { readFileSync } from 'node:fs';\nimport fc from 'fast-check';\nimport { test } from ` +
      `'vitest';\n\ntest('x', () => void [${packageNames.map((_, i) => `m${i}`).join(', ')}, ` +
      `readFileSync, fc, process]);\n`,
  ),
]);

const browser = browserPackages.flatMap((name) => [
  ...['node:fs', 'fs', 'fs/promises', 'crypto', '@lethe/losses/node'].map((specifier, i) =>
    planted(`packages/${name}/src/node-${i}.ts`, using(specifier), IMPORTS),
  ),
  planted(
    `packages/${name}/src/node-dynamic.ts`,
    "export const fs = (): Promise<unknown> => import('node:fs');\n",
    IMPORTS,
  ),
  planted(
    `packages/${name}/src/clock-0.ts`,
    'export const t = Date.now();\n',
    'eslint(no-restricted-properties)',
  ),
  planted(
    `packages/${name}/src/clock-1.ts`,
    'export const t = performance.now();\n',
    'eslint(no-restricted-globals)',
  ),
  planted(`packages/${name}/src/clock-2.ts`, 'export const t = new Date();\n', 'lethe(no-clock)'),
  planted(
    `packages/${name}/src/clock-3.ts`,
    'export const t = setTimeout(() => undefined, 1);\n',
    'eslint(no-restricted-globals)',
  ),
  planted(
    `packages/${name}/src/process.ts`,
    'export const e = process.env;\n',
    'eslint(no-restricted-globals)',
  ),
]);

const particular = [
  planted('packages/losses/src/node/read.ts', using('node:fs')),
  planted('packages/losses/src/node/uphill.ts', using('@lethe/mechanisms'), IMPORTS),
  planted(
    'packages/losses/src/node/clock.ts',
    'export const t = Date.now();\n',
    'eslint(no-restricted-properties)',
  ),
  planted('packages/node/src/read.ts', `${using('node:fs')}export const own = (): number => process.pid;\n`),
  planted('packages/node/src/clock.ts', 'export const t = Date.now();\n', 'eslint(no-restricted-properties)'),
  planted(
    'packages/lab/src/read.ts',
    `${using('node:fs')}export const now = (): number => Date.now() + performance.now() + process.pid;\n`,
  ),
  planted('packages/lab/src/flights.ts', using('@lethe/losses/node')),
  planted('packages/lab/src/output.ts', 'export const say = (text: string): void => console.log(text);\n'),
  planted('packages/laws/src/property.ts', using('fast-check')),
  planted('packages/core/src/property.ts', using('fast-check'), IMPORTS),
];

const plants = [...arrows, ...everyPackage, ...browser, ...particular];
const tree = mkdtempSync(join(tmpdir(), 'lethe-lint-'));
const found = new Map<string, string[]>();

beforeAll(async () => {
  for (const path of ['.oxlintrc.json', 'tools/lint'])
    cpSync(join(root, path), join(tree, path), { recursive: true });
  for (const { file, text } of [
    ...plants,
    ...packageNames.map((name) =>
      planted(`packages/${name}/src/thing.ts`, 'export interface Thing {\n  readonly x: number;\n}\n'),
    ),
  ]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  }
  const { stdout } = await run(
    join(root, 'node_modules/.bin/oxlint'),
    ['--format', 'json', 'packages'],
    tree,
  );
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; severity: string; filename: string }[];
  };
  for (const { code, filename, severity } of diagnostics)
    if (severity === 'error') found.set(filename, [...(found.get(filename) ?? []), code]);
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe('lint', () => {
  it.each(packageNames)('refuses every forbidden line in %s', (name) => {
    const forbidden = plants.filter(
      ({ file, rule }) => rule !== undefined && file.startsWith(`packages/${name}/`),
    );
    expect(forbidden.length).toBeGreaterThan(12);
    expect(
      forbidden
        .filter(({ file, rule }) => !found.get(file)?.includes(defined(rule)))
        .map(({ file, rule }) => `${file}: no ${rule}`),
    ).toEqual([]);
  });

  it.each(packageNames)('has nothing to say about the allowed lines in %s', (name) => {
    const allowed = plants.filter(
      ({ file, rule }) => rule === undefined && file.startsWith(`packages/${name}/`),
    );
    expect(allowed.length).toBeGreaterThan(1);
    expect(
      allowed
        .filter(({ file }) => found.has(file))
        .map(({ file }) => `${file}: ${defined(found.get(file)).join()}`),
    ).toEqual([]);
  });

  it('exits with a failure when there is one finding', async () => {
    const { code } = await run(join(root, 'node_modules/.bin/oxlint'), ['packages/core/src/random.ts'], tree);
    expect(code).not.toBe(0);
    expect(
      (await run(join(root, 'node_modules/.bin/oxlint'), ['packages/core/src/clean.ts'], tree)).code,
    ).toBe(0);
  });
});
