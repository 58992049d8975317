import { defined } from '@lethe/numerics';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closingLine, countsLine, durationsText, slowestLines, tally } from '../../tally.mjs';
import { expectedSeconds } from '../../../vitest.sequencer.js';
import type { Summary } from '../../../vitest.summary.js';
import { readJson, root } from './repository.js';
import { run } from './run.js';

const folder = join(root, 'tools/release-checks/.runs');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly green: boolean;
  readonly summary: Summary | undefined;
}

/** Files with tests, and how many of them pass and fail. */
const planted: readonly (readonly [name: string, text: string, passed: number, failed: number])[] = [
  ['one test that passes', "it('a', () => expect(1).toBe(1));", 1, 0],
  [
    'one of each',
    "it('a', () => expect(1).toBe(1)); it('b', () => expect(1).toBe(2)); it.skip('c', () => {});",
    1,
    1,
  ],
  [
    'a suite whose preparation throws',
    "describe('d', () => { beforeAll(() => { throw new Error('x'); }); it('a', " +
      '() => expect(1).toBe(1)); });',
    0,
    1,
  ],
  ['a file that throws', "it('a', () => expect(1).toBe(1)); throw new Error('x');", 0, 1],
  ['a file without a test', 'export {};', 0, 1],
  ['only skipped tests', "it.skip('a', () => expect(1).toBe(1));", 0, 1],
  [
    'an error outside any test',
    "it('a', () => { setTimeout(() => { throw new Error('x'); }, 0); }); it('b', " +
      '() => new Promise((done) => setTimeout(done, 50)));',
    2,
    1,
  ],
];
const skips = "it('a', () => expect(1).toBe(1)); it.skip('rain', () => {});";
const counted = `
      describe('laws of clip l2', () => { it('clip/bound › l2', () => {}); it('clip/none › l2', () => { throw new Error('x'); }); });
      describe('M01: a bug', () => { it('is detected under seed a', () => {}); });
      describe('mutants of rows 1 to 2', () => { it('has one at least for every row', () => {}); it('M-1: a bug', () => {}); });
      describe('the checks of rows 1 to 2', () => { it('have names of their own', () => {}); it('lowy/means', () => {}); });
      it('loops', ({ task }) => { task.meta.cells = 12; });`;
const slow = "it('a', () => new Promise((done) => setTimeout(done, 30)));";

const placeOf = (name: string): string => join(folder, name.replaceAll(' ', '-'));

/** Runs the test runner on each of these files, by name, in a folder of its own. */
beforeAll(async () => {
  const files = [...planted, ['skips', skips], ['counts', counted], ['slow', slow]] as const;
  for (const [name, text] of files) {
    const place = placeOf(name);
    mkdirSync(place, { recursive: true });
    writeFileSync(
      join(place, 'planted.test.ts'),
      `import { beforeAll, describe, expect, it } from 'vitest';\n${text}\n`,
    );
    writeFileSync(
      join(place, 'vitest.config.ts'),
      `import { SummaryLine } from '../../../../vitest.summary.ts';\nexport default { test: ` +
        `{ root: ${JSON.stringify(place)}, include: ['*.test.ts'], reporters: [new SummaryLine()] } };\n`,
    );
  }
  const program = join(root, 'tools/release-checks/src/planted-runs.mjs');
  const { code, stderr } = await run(
    process.execPath,
    [program, ...files.map(([name]) => placeOf(name))],
    folder,
  );
  expect(code, stderr).toBe(0);
}, 120_000);

/** What the summary reporter said of a planted file. */
function outcomeOf(name: string): Outcome {
  const green = JSON.parse(readFileSync(join(placeOf(name), 'green.json'), 'utf8')) as boolean;
  const file = join(placeOf(name), 'summary.json');
  return {
    green,
    summary: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Summary) : undefined,
  };
}

describe('the tally of a run', () => {
  it.each(planted)('%s', (name, _text, passed, failed) => {
    const { green, summary } = outcomeOf(name);
    expect(tally([], green, summary)).toEqual({ passed, failed });
  });

  it('counts a runner that never ran as a failure', () => {
    expect(tally([true], true, undefined)).toEqual({ passed: 1, failed: 1 });
    expect(tally([true], false, { passed: 5, failed: 0 })).toEqual({ passed: 6, failed: 1 });
    expect(tally([true, false], true, { passed: 5, failed: 0 })).toEqual({ passed: 6, failed: 1 });
  });

  it('names what was skipped', () => {
    const { summary } = outcomeOf('skips');
    expect(defined(summary).skipped).toEqual([expect.stringContaining('rain')]);
  });

  it('counts laws, mutants, claims and combinations separately from other tests', () => {
    const { summary } = outcomeOf('counts');
    expect(defined(summary).counts).toEqual({ tests: 7, laws: 1, mutants: 2, claims: 1, cells: 12 });
    expect(countsLine(defined(summary).counts)).toBe(
      '7 tests passed, among them 1 checks of laws, 2 mutants found and 1 checks of claims of papers; ' +
        '12 combinations in loops',
    );
  });

  it('names the slowest files', () => {
    const { summary } = outcomeOf('slow');
    const [[file, time] = ['', 0]] = Object.entries(defined(summary).seconds);
    expect([file, time >= 0.03]).toEqual(['tools/release-checks/.runs/slow/planted.test.ts', true]);
    expect(durationsText({ a: 1.2, c: 2.6, b: 2.6, d: 40.2 })).toBe(
      '{\n  "d": 40,\n  "b": 3,\n  "c": 3\n}\n',
    );
    expect(slowestLines({ a: 1, b: 12.34, c: 2 }, 2)).toEqual(['   12.3 s  b', '    2.0 s  c']);
  });

  it('knows how long the longest files take, of those that are there', () => {
    const stored = Object.entries(readJson<Record<string, number>>('tools/durations.json'));
    const there = stored.filter(([file]) => existsSync(join(root, file)));
    expect(there.length).toBeGreaterThan(20);
    for (const [file, seconds] of there) expect(expectedSeconds(join(root, file)), file).toBe(seconds);
    expect(expectedSeconds(join(root, 'new.test.ts'))).toBe(1);
  });

  it('closes with the line that log readers look for', () => {
    expect(closingLine({ passed: 12, failed: 0 })).toBe('12 passed, 0 failed');
  });
});
