import { writeFileSync } from 'node:fs';
import { defined } from '@lethe/numerics';
import { afterAll, describe, expect, test } from 'vitest';
import type { EvaluationResult } from '../src/experiment/results.js';
import { labFolder, lethe } from './support/lab-folder.js';

const folder = labFolder();
afterAll(() => folder.remove());

/** 60 images of 1 × 2 pixels, the brighter of which is the class. */
const rows = 60;
const head = (...shape: readonly number[]): number[] => [
  0,
  0,
  8,
  shape.length,
  ...shape.flatMap((one) => [0, 0, 0, one]),
];
const pixels = Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? [250 - i, i] : [i, 250 - i])).flat();
writeFileSync(folder.file('images'), Uint8Array.from([...head(rows, 1, 2), ...pixels]));
writeFileSync(
  folder.file('labels'),
  Uint8Array.from([...head(rows), ...Array.from({ length: rows }, (_, i) => i % 2)]),
);
writeFileSync(folder.file('few'), Uint8Array.from([...head(2), 0, 1]));
const experiment = (idx: object) => ({
  lethe: 1,
  kind: 'evaluation',
  name: 'images',
  title: 'Images',
  adjacency: 'replace-one',
  heldOut: 20,
  problems: [
    {
      name: 'brighter',
      data: { file: 'images', idx: { labels: 'labels', columns: 2, unit: 255, ...idx } },
      loss: { name: 'softmax', params: { classes: 2 } },
      domain: { name: 'l2-ball', params: { radius: 5 } },
      record: { featureNorm: 1 },
    },
  ],
  optimizers: [{ name: 'mu2-sgd', params: { rounds: 10, stepSize: 0.1 }, unprotected: true }],
  budgets: [{ epsilon: 1, delta: 1e-6 }],
  seeds: { count: 1 },
});
const run = (idx: object) =>
  lethe('run', folder.write('images.json', experiment(idx)), '--out', folder.file('out'));

describe('records in IDX files', () => {
  test('are read in a public order, and accuracy on those held out is that of the largest output', async () => {
    const { code, error } = await run({});
    expect(code, error).toBe(0);
    const [{ problems }] = JSON.parse(folder.read('out/results.json')) as readonly EvaluationResult[];
    expect(problems[0]).toMatchObject({ population: 40, dimension: 4 });
    // The start has outputs of 0, and says class 0 for all.
    const share = defined(problems[0].heldOut).start.accuracy;
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(1);
    expect(defined(problems[0].cells[0].runs[0].test).accuracy).toBe(1);
  });

  test.each([
    [{ columns: 3 }, /a record has 1 × 2 numbers, and idx\.columns is 3; give 2/u],
    [{ labels: 'few' }, /few has 2 numbers; it must have one for each of the 60 records/u],
    [{ labels: 'images' }, /images has 60 × 1 × 2 numbers/u],
  ])('are refused for %o', async (change, message) => {
    const { code, error } = await run(change);
    expect(code).not.toBe(0);
    expect(error).toMatch(message);
  });
});
