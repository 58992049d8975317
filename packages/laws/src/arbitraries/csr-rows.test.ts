import { defineLinearLoss } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { csrRowsOf, denseRows } from './csr-rows.js';

const shape = { rows: 6, columns: 4, scale: 2 };
const sample = fc.sample(csrRowsOf(shape), { seed: 4, numRuns: 1000 });
const lengths = sample.flatMap(({ rowStarts }) =>
  Array.from({ length: rowStarts.length - 1 }, (_, i) => rowStarts[i + 1] - rowStarts[i]),
);
const loss = defineLinearLoss({
  name: 'zero',
  summary: 'Zero.',
  source: { id: 'test', item: 'none' },
  params: z.strictObject({}),
  claims: [],
  capabilities: {},
  linear: { value: () => 0, slope: () => 0 },
  facts: () => ({}),
  labels: { rule: 'anything', accepts: () => true },
});

it('core accepts them', () => {
  for (const features of sample.slice(0, 200)) {
    const data = attachData({
      features,
      loss: loss({}),
      registry: [loss],
      ledger: openLedger({ adjacency: 'replace-one' }),
    });
    expect(data.slots).toBe(features.rows);
  }
});
it('rows are empty, single, full, and hold zeros', () => {
  for (const length of [0, 1, 4])
    expect(lengths.filter((n) => n === length).length / lengths.length).toBeGreaterThan(0.05);
  expect(sample.some(({ values }) => values.includes(0))).toBe(true);
  expect(sample.every(({ values }) => values.every((x) => !Object.is(x, -0)))).toBe(true);
  expect(new Set(sample.map(({ rows }) => rows)).size).toBe(6);
});
it('values lie on both sides of the scale', () => {
  const sizes = sample.flatMap(({ values }) => Array.from(values, (x) => Math.abs(x) / 2));
  expect(sizes.filter((x) => x > 1).length / sizes.length).toBeGreaterThan(0.2);
  expect(sizes.filter((x) => x < 1).length / sizes.length).toBeGreaterThan(0.2);
});
it('written out, they keep every value in its place', () => {
  const [row] = denseRows({
    rows: 1,
    columns: 4,
    rowStarts: Uint32Array.of(0, 2),
    columnIndices: Uint32Array.of(1, 3),
    values: Float64Array.of(5, -7),
  });
  expect(row).toEqual([0, 5, 0, -7]);
  for (const csr of sample.slice(0, 100))
    expect(
      denseRows(csr)
        .flat()
        .reduce((a, b) => a + b, 0),
    ).toBe(csr.values.reduce((a, b) => a + b, 0));
});
it('shrink to one entry', () => {
  const [csr] = defined(
    fc.check(
      fc.property(csrRowsOf(shape), ({ values }) => values.every((x) => x === 0)),
      { seed: 1 },
    ).counterexample,
  );
  expect(csr.rows).toBeLessThanOrEqual(2);
  expect(csr.values).toHaveLength(1);
});
