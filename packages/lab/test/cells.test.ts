import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bin } from './support/built.js';
import { main } from '../src/cli/main.js';
import { evaluation, labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const small = { ...evaluation, sizes: [40], seeds: { count: 3 } };
const cellsIn = (out: string): readonly string[] =>
  readdirSync(folder.file(join(out, 'cells')))
    .filter((name) => /^[0-9a-f]{32}\.json$/u.test(name))
    .toSorted();
const nearTo = (norm: number | undefined) => expect.closeTo(norm ?? Number.NaN, 12) as unknown;
/** A cell without the time that its run took. */
const untimed = (cell: string): string => cell.replace(/"seconds":[^,}]+/u, '');
const run = async (content: object, out: string, ...more: readonly string[]) => {
  const { code, error } = await lethe(
    'run',
    folder.write('a.json', content),
    '--out',
    folder.file(out),
    ...more,
  );
  expect([code, error.includes('Wrote')]).toEqual([0, true]);
  const [{ problems }] = JSON.parse(readFileSync(folder.file(join(out, 'results.json')), 'utf8')) as [
    { problems: readonly unknown[] },
  ];
  return problems;
};

test('every run of an evaluation is kept, found again, and adds up to the same results', async () => {
  const whole = await run(small, 'a');
  const cells = cellsIn('a');
  expect(cells.length).toBeGreaterThan(3);
  expect(await run(small, 'a')).toEqual(whole);
  expect(cellsIn('a')).toEqual(cells);
  expect(await run(small, 'b', '--again')).toEqual(whole);
});

test('a clip norm that runs find privately is in their results, and one that is given is not', async () => {
  const [given] = small.optimizers;
  const clipNorm = { by: 'private-quantile', share: 0.5, counts: 2, largest: 4 };
  const found = { ...given, label: 'found', params: { ...given.params, clipNorm } };
  const results = await run({ ...small, optimizers: [given, found] }, 'a');
  const [{ cells }] = results as [{ cells: { label: string; runs: { clipNorm?: number }[] }[] }];
  const norms = (label: string): readonly (number | undefined)[] =>
    cells.flatMap((cell) => (cell.label === label ? cell.runs.map((one) => one.clipNorm) : []));
  expect(norms('dp-sgd')).toEqual([undefined, undefined, undefined]);
  // Two counts quarter the logarithm of the range, from 2⁻⁸ to 4.
  for (const norm of norms('found')) expect([2 ** -5.5, 2 ** -3, 2 ** -0.5, 4]).toContainEqual(nearTo(norm));
  expect(readFileSync(folder.file('a/results.csv'), 'utf8')).toMatch(/found.*,private clip norm,/u);
  expect(readFileSync(folder.file('a/report.html'), 'utf8')).toContain('private clip norm');
  expect(await run({ ...small, optimizers: [given, found] }, 'a')).toEqual(results);
});

test('more seeds are added to those that are done; another title changes nothing', async () => {
  await run(small, 'a');
  const before = cellsIn('a');
  const more = { ...small, seeds: { count: 4 }, title: 'another' };
  const grown = await run(more, 'a');
  const after = cellsIn('a');
  expect(before.every((name) => after.includes(name))).toBe(true);
  expect(after.length / before.length).toBeCloseTo(4 / 3, 10);
  expect(grown).toEqual(await run(more, 'b'));
});

test('a cell is told by all that it depends on, is read in place of a run, and a damaged one is made again', async () => {
  const whole = await run(small, 'a');
  const [first, ...others] = cellsIn('a');
  const path = folder.file(join('a', 'cells', first));
  const kept = readFileSync(path, 'utf8');
  writeFileSync(path, kept.replace(/"excessRisk":[^,]+/u, '"excessRisk":123'));
  expect(JSON.stringify(await run(small, 'a'))).toContain('123');
  writeFileSync(path, kept.slice(0, 20));
  expect(await run(small, 'a')).toEqual(whole);
  expect(untimed(readFileSync(path, 'utf8'))).toBe(untimed(kept));
  await run({ ...small, budgets: [{ epsilon: 7, delta: 1e-6 }] }, 'a');
  expect(cellsIn('a').length).toBeGreaterThan(others.length + 1);
});

test('an interrupted evaluation says how it goes on, and does', async () => {
  const stop = new AbortController();
  const path = folder.write('a.json', small);
  let error = '';
  const streams = {
    out: () => undefined,
    error: (text: string) => {
      error += text;
      if (text.includes('seed 2')) stop.abort();
    },
  };
  stop.abort();
  expect(await main(['run', path, '--out', folder.file('a')], streams, stop.signal)).toBe(1);
  expect(error).toContain('an evaluation, run again, goes on from the runs that are done');
});

const slow = {
  ...small,
  optimizers: [{ name: 'dp-sgd', params: { steps: 400, rate: 1, clipNorm: 1, stepSize: 0.5 } }],
  seeds: { count: 4 },
};

test('several threads come to the results of one, and a killed or interrupted run goes on', async () => {
  const path = folder.write('a.json', slow);
  const args = (out: string, ...more: readonly string[]) => [
    bin,
    'run',
    path,
    '--out',
    folder.file(out),
    ...more,
  ];
  const killed = spawn(process.execPath, args('a', '--jobs', '2'), { stdio: 'ignore' });
  const ended = new Promise((resolve) => killed.once('exit', resolve));
  while (!existsSync(folder.file('a/cells')) || cellsIn('a').length < 2) await wait(20);
  killed.kill('SIGKILL');
  await ended;
  const before = cellsIn('a');
  expect(before.length).toBeGreaterThanOrEqual(2);
  const resultsOf = (out: string): unknown => {
    const [{ problems }] = JSON.parse(readFileSync(folder.file(join(out, 'results.json')), 'utf8')) as [
      { problems: unknown },
    ];
    return problems;
  };
  expect(spawnSync(process.execPath, args('a', '--jobs', '2')).status).toBe(0);
  const stopped = spawn(process.execPath, args('b'), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  stopped.stderr.on('data', (text: Buffer) => (said += String(text)));
  const stop = new Promise((resolve) => stopped.once('close', resolve));
  while (!existsSync(folder.file('b/cells')) || cellsIn('b').length < 1) await wait(20);
  stopped.kill('SIGINT');
  expect(await stop, said).toBe(1);
  expect(said).toContain('an evaluation, run again, goes on from the runs that are done');
  expect(spawnSync(process.execPath, args('b')).status).toBe(0);
  expect(resultsOf('a')).toEqual(resultsOf('b'));
  expect(cellsIn('a')).toEqual(cellsIn('b'));
  expect(before.every((name) => cellsIn('a').includes(name))).toBe(true);
});

test('a mistake in a worker ends the command with its message', () => {
  const path = folder.write('a.json', {
    ...slow,
    problems: [{ ...slow.problems[0], domain: { name: 'l2-ball', params: { radius: -1 } } }],
  });
  const { status, stderr } = spawnSync(
    process.execPath,
    [bin, 'run', path, '--out', folder.file('a'), '--jobs', '2'],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stderr.includes('radius')]).toEqual([2, true]);
});
