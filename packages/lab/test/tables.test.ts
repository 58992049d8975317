import { csvParse } from 'd3-dsv';
import { parquetReadObjects } from 'hyparquet';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EvaluationResult } from '../src/experiment/results.js';
import { tableFiles } from '../src/tables/table-files.js';
import { fakeRelease } from './fixtures.js';
import { evaluation, labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const [problem] = evaluation.problems;
const small = {
  ...evaluation,
  problems: [
    problem,
    {
      ...problem,
      name: 'sign',
      data: {
        generate: { ...problem.data.generate, response: { kind: 'sign' } },
      },
      loss: { name: 'logistic' },
    },
  ],
  optimizers: [evaluation.optimizers[0]],
  sizes: [60],
  heldOut: 40,
};

test('a run leaves the same long table as CSV, NDJSON and Parquet, with scores on held-out records', async () => {
  const { code, error } = await lethe('run', folder.write('a.json', small), '--out', folder.file('out'));
  expect([code, error]).toEqual([0, expect.stringContaining('Wrote') as string]);
  const rows = csvParse(folder.read('out/results.csv'));
  const lines = folder
    .read('out/results.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const bytes = readFileSync(folder.file('out/results.parquet'));
  const stored = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  });
  expect(stored).toEqual(lines);
  expect(rows.map((row) => Object.fromEntries(rows.columns.map((name) => [name, row[name]])))).toEqual(
    lines.map((line) =>
      Object.fromEntries(
        Object.entries(line).map(([name, value]) => [name, value === null ? '' : String(value)]),
      ),
    ),
  );
  const [{ problems, seconds }] = JSON.parse(folder.read('out/results.json')) as [EvaluationResult];
  expect(seconds.length).toBe(problems.flatMap(({ cells }) => cells.flatMap(({ runs }) => runs)).length);
  expect(seconds.every((one) => one > 0)).toBe(true);
  const runs = lines.filter(({ problem: name, seed }) => name === 'line' && seed === 2);
  const [{ dataDigest, cells, heldOut }, sign] = problems;
  expect(runs.map(({ quantity }) => quantity)).toEqual(['excess risk', 'test loss', 'test R2', 'seconds']);
  expect(runs[0]).toMatchObject({
    experiment: 'tiny',
    label: 'simulation: no privacy',
    n: 60,
    epsilon: 1,
    value: cells[0].runs[1].excessRisk,
    gradients: cells[0].plan.gradients,
    data_digest: dataDigest,
  });
  expect(dataDigest).toMatch(/^[0-9a-f]{64}$/u);
  expect(heldOut).toMatchObject({ records: 40, start: { r2: expect.closeTo(0, 0) as number } });
  expect(heldOut?.optimum?.r2).toBeGreaterThan(0.3);
  expect(sign.heldOut?.start.auc).toBe(0.5);
  expect(sign.heldOut?.optimum?.auc).toBeGreaterThan(0.8);
  // Held-out records are no part of the population.
  expect(sign.population).toBe(80);
});

test('nothing is held out of problems that draw anew, nor all of a table', async () => {
  const anew = { ...small, problems: [{ ...problem, risk: 'population' }] };
  const all = { ...small, heldOut: 120 };
  for (const [content, message] of [
    [anew, 'holds none out'],
    [all, "heldOut is 120, problem 'line' has 120 records"],
  ] as const) {
    const { code, error } = await lethe('run', folder.write('a.json', content), '--out', folder.file('out'));
    expect([code, error]).toEqual([2, expect.stringContaining(message) as string]);
  }
});

test('a release has its certificate and its weights in the table', () => {
  const result = fakeRelease();
  const { 'results.csv': csv } = tableFiles([result]);
  const rows = csvParse(String(csv));
  expect(rows.filter(({ quantity }) => quantity === 'weight').map(({ value }) => Number(value))).toEqual(
    result.model.weights,
  );
  expect(rows.find(({ quantity }) => quantity === 'epsilon, upper end')?.['value']).toBe(
    String(result.certificate.upper),
  );
});

test('a label that a spreadsheet would run is told as text in CSV, and numbers stay numbers', () => {
  const made = fakeRelease();
  const csv = tableFiles([
    {
      ...made,
      experiment: { ...made.experiment, optimizer: { ...made.experiment.optimizer, label: '=1+1' } },
    },
  ])['results.csv'] as string;
  const rows = csvParse(csv);
  expect(new Set(rows.map(({ method }) => method))).toEqual(new Set(["'=1+1"]));
  expect(rows.map(({ value }) => value?.[0])).not.toContain("'");
});
