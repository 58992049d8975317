import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { main } from '@lethe/lab';
import { environmentOf, parseClaims, type ClaimCheck } from '@lethe/laws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaffoldPaper } from './paper.mjs';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const place = join(repository, 'tools/generators/.new-paper');
const read = (path: string): string => readFileSync(join(place, path), 'utf8');
const all = (): readonly string[] =>
  (readdirSync(place, { recursive: true }) as string[])
    .filter((file) => statSync(join(place, file)).isFile())
    .toSorted();

const isFull = process.env['LETHE_EFFORT'] === 'full';
let files: readonly string[];
let before: ReadonlyMap<string, string>;
beforeAll(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const isSource = (path: string): boolean => !path.endsWith('.test.ts');
  cpSync(join(repository, 'packages/algorithms/src'), join(place, 'packages/algorithms/src'), {
    recursive: true,
    filter: isSource,
  });
  // What the tests of a paper share, and what that imports.
  const shared = [
    ...['rows.ts', 'slow.json', 'watched.ts'].map((file) => `packages/claims/test/${file}`),
    'packages/laws/test/first-violation.ts',
    'tools/mutants/src/not-slow.ts',
  ];
  for (const file of shared) cpSync(join(repository, file), join(place, file));
  before = new Map(all().map((file) => [file, read(file)]));
  files = scaffoldPaper(place, 'very-new');
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('a new paper', () => {
  it('has its folders, its guide and its experiment, and one line in one file that others share', () => {
    const changed = [...before].filter(([file, text]) => read(file) !== text);
    expect(changed.map(([file]) => file)).toEqual(['packages/algorithms/src/papers.ts']);
    expect(read('packages/algorithms/src/papers.ts')).toBe(
      `${changed[0][1]}export * from './very-new/index.js';\n`,
    );
    expect(all().filter((file) => !before.has(file) || file.endsWith('papers.ts'))).toEqual(files.toSorted());
    const folders = [
      'packages/algorithms/src/very-new/claims.json',
      'packages/claims/src/very-new/index.ts',
      'docs/papers/very-new.md',
    ];
    expect(files).toEqual(expect.arrayContaining([...folders, 'packages/lab/experiments/very-new.yaml']));
  });

  // A whole package is checked for it: at night.
  it.runIf(isFull)('type-checks', async () => {
    const paths = { '@lethe/algorithms': ['./packages/algorithms/src/index.ts'] };
    const compilerOptions = {
      composite: false,
      noEmit: true,
      types: ['node', 'vite/client'],
      paths,
    };
    writeFileSync(
      join(place, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, include: ['packages'] }),
    );
    writeFileSync(join(place, 'packages/wrong.ts'), 'export const wrong: string = 1;\n');
    const compiler = join(repository, 'node_modules/@typescript/native/bin/tsc');
    const said = await promisify(execFile)(process.execPath, [compiler, '-p', place, '--pretty', 'false'], {
      cwd: place,
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    expect(said.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^packages\/wrong\.ts\(1,14\): error TS2322/u),
    ]);
  });

  it('has a ledger whose check holds of what ships and finds a wrong bound', async () => {
    const { paper, rows, claims } = parseClaims(read('packages/algorithms/src/very-new/claims.json'));
    expect([paper, rows]).toEqual(['very-new', claims.length]);
    const { veryNewBound: bound } = (await import(
      /* @vite-ignore */ join(place, 'packages/algorithms/src/very-new/bound.ts')
    )) as { readonly veryNewBound: (records: number) => number };
    const { checks } = (await import(
      /* @vite-ignore */ join(place, 'packages/claims/src/very-new/index.ts')
    )) as { checks(subject: object): readonly ClaimCheck[] };
    const verdicts = async (subject: object): Promise<readonly string[]> =>
      Promise.all(
        checks(subject).map(async (check) => {
          expect(claims.map((claim) => ('check' in claim ? claim.check : ''))).toContain(check.id);
          return (await check.run(environmentOf({ law: check.id }, { seed: 'paper' }))).verdict;
        }),
      );
    expect(await verdicts({ bound })).toEqual(['holds']);
    expect(await verdicts({ bound: () => 1 })).toEqual(['fails']);
  });

  it('has an experiment that runs', async () => {
    let said = '';
    const streams = {
      out: () => undefined,
      error: (text: string) => {
        said += text;
      },
    };
    const code = await main(
      ['run', join(place, 'packages/lab/experiments/very-new.yaml'), '--out', join(place, 'results')],
      streams,
    );
    expect(code, said).toBe(0);
    rmSync(join(place, 'results'), { recursive: true });
  });

  it('is never written over another, nor under another kind of name', () => {
    const texts = new Map(all().map((file) => [file, read(file)]));
    expect(() => scaffoldPaper(place, 'very-new')).toThrow('exists already');
    for (const name of ['', 'Mine', '../mine', undefined])
      expect(() => scaffoldPaper(place, name)).toThrow('kebab-case');
    expect(new Map(all().map((file) => [file, read(file)]))).toEqual(texts);
  });
});
