import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { announces, examplesOf } from './readme-examples.js';
import { packageNames, root } from './repository.js';
import { run } from './run.js';

const folder = join(root, 'tools/release-checks/.examples');

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a module and returns the lines it printed with `console.log`. */
async function linesPrintedBy(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = vi
    .spyOn(console, 'log')
    .mockImplementation((...values) => void lines.push(...format(...values).split('\n')));
  try {
    await import(/* @vite-ignore */ file);
  } finally {
    log.mockRestore();
  }
  return lines;
}

async function expectToRun(readme: string, atLeast: number): Promise<void> {
  const examples = examplesOf(readFileSync(join(root, readme), 'utf8'));
  expect(examples.length, `runnable examples in ${readme}`).toBeGreaterThanOrEqual(atLeast);
  for (const [i, { code, expected }] of examples.entries()) {
    const file = join(folder, `${readme.replaceAll(/\W+/g, '-')}-${i}.ts`);
    writeFileSync(file, code);
    const printed = await linesPrintedBy(file);
    const matches =
      printed.length === expected.length && expected.every((text, line) => announces(text, printed[line]));
    if (!matches) expect(printed, `what example ${i + 1} of ${readme} prints`).toEqual(expected);
  }
}

describe('the examples', () => {
  it.each(packageNames)('in the README of %s run and print what they announce', (name) =>
    expectToRun(`packages/${name}/README.md`, 1),
  );

  it.each(readdirSync(join(root, 'docs/papers')))(
    'in the guide %s run and print what they announce',
    (name) => expectToRun(`docs/papers/${name}`, 2),
  );

  it.each(readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md')))(
    'in the guide %s run and print what they announce',
    (name) => expectToRun(`docs/guide/${name}`, 0),
  );

  it('in the root README run and print what they announce', () => expectToRun('README.md', 0));

  it('type-check', async () => {
    const project = {
      extends: '../../tsconfig.json',
      include: ['*.ts'],
      exclude: [],
      // As a user reads them, from what is built; from all sources it takes five times as long.
      compilerOptions: { types: ['node'], customConditions: [] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const { code, stdout } = await run(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', join(folder, 'tsconfig.json')],
      root,
    );
    expect(code, stdout).toBe(0);
  });
});

describe('an example', () => {
  const block = (info: string, code: string): string => `text\n\n\`\`\`${info}\n${code}\n\`\`\`\n`;

  it('is a block fenced as ts', () => {
    expect(
      examplesOf(block('ts', 'a') + block('ts fragment', 'b') + block('js', 'c') + block('ts', 'd')).map(
        ({ code }) => code,
      ),
    ).toEqual(['a\n', 'd\n']);
  });

  it('announces its lines in comments', () => {
    expect(examplesOf(block('ts', 'console.log(1); // => 1\n// => and 2  \n// no'))[0].expected).toEqual([
      '1',
      'and 2',
    ]);
  });

  it('matches its lines exactly, but for …', () => {
    expect(announces('ε = 1.5 (exact)', 'ε = 1.5 (exact)')).toBe(true);
    expect(announces('ε = 1.5', 'ε = 125')).toBe(false);
    expect(announces('ε = 1.…', 'ε = 1.25')).toBe(true);
    expect(announces('1', '11')).toBe(false);
  });

  it('is caught when it prints something else, or throws', async () => {
    const plant = (name: string, code: string): string => {
      const readme = `tools/release-checks/.examples/${name}.md`;
      writeFileSync(join(root, readme), block('ts', code));
      return readme;
    };
    await expectToRun(plant('right', 'console.log([1, 2]); // => [ 1, 2 ]'), 1);
    await expect(expectToRun(plant('wrong', 'console.log(1 + 1); // => 3'), 1)).rejects.toThrow('wrong');
    await expect(expectToRun(plant('silent', 'export const x = 1; // => 1'), 1)).rejects.toThrow('silent');
    await expect(expectToRun(plant('throws', "throw new Error('boom');"), 1)).rejects.toThrow('boom');
    await expect(expectToRun(plant('few', ''), 2)).rejects.toThrow('runnable');
  });
});
