import { clipBound, defineLoss } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ball } from '../../test/mean-parts.js';
import { openLedger } from '../ledger/index.js';
import { centredSum } from './bounded-sum.js';
import { attachData, type DataSet } from './data-set.js';
import { oneGradient } from './record-bound.js';

/** Gradients are the label times the point. */
const scaled = defineLoss({
  name: 'scaled',
  summary: 'For tests.',
  source: { id: 'lethe', item: 'tests' },
  params: z.strictObject({}),
  claims: [],
  capabilities: {},
  linear: null,
  labels: { rule: 'any', accepts: () => true },
  facts: () => ({}),
  value: () => 0,
  gradientInto(_params, out, at, { label }) {
    for (let j = 0; j < out.length; j++) out[j] = label * at[j];
  },
});
const registry = [scaled, ball];
const attached = (labels: readonly number[], zeroed: readonly number[] = []): DataSet =>
  attachData({
    features: {
      data: new Float64Array(2 * labels.length),
      rows: labels.length,
      columns: 2,
      offset: 0,
      rowStride: 2,
      columnStride: 1,
    },
    labels: Float64Array.from(labels),
    ...(zeroed.length === 0
      ? {}
      : { nulls: Uint8Array.from(labels, (_, i) => (zeroed.includes(i) ? 1 : 0)) }),
    loss: scaled({}),
    registry,
    ledger: openLedger({ adjacency: 'zero-out' }),
  });
const bound = clipBound(oneGradient({ dimension: 2, facts: {}, registry }), ball({ radius: 5 }));
const sumOf = (data: DataSet, centre: readonly number[]): number[] => [
  ...centredSum(
    data,
    { from: 0, to: data.slots },
    {
      terms: [
        { weight: 3, at: Float64Array.of(1, 0) },
        { weight: -2, at: Float64Array.of(0, 1) },
      ],
    },
    { bound, centre: Float64Array.from(centre) },
  ),
];

describe('sums of records bounded about a centre', () => {
  it('bound what is left of each record after the centre', () => {
    // Gradients (3, −2), (0, 0) and (300, −200), about (−1, 1): (4, −3) is kept, (1, −1) too, the last is
    // cut.
    const size = Math.hypot(301, 201);
    const [x, y] = sumOf(attached([1, 0, 100]), [-1, 1]);
    expect(x).toBeCloseTo(4 + 1 + (5 * 301) / size, 12);
    expect(y).toBeCloseTo(-3 - 1 - (5 * 201) / size, 12);
  });

  it('have nothing of null records, and of gradients that are not finite, wherever the centre is', () => {
    for (const centre of [
      [0, 0],
      [1e6, -1e6],
    ]) {
      expect(sumOf(attached([7, 1], [0]), centre)).toEqual(sumOf(attached([1]), centre));
      expect(sumOf(attached([1e308, 1]), centre)).toEqual(sumOf(attached([1]), centre));
    }
  });

  it('change by the radius at most where a record becomes null, for any centre', () => {
    for (const centre of [
      [0, 0],
      [1, 2],
      [-1e9, 1e9],
    ]) {
      const [whole, without] = [sumOf(attached([1, 2]), centre), sumOf(attached([1, 2], [1]), centre)];
      expect(Math.hypot(whole[0] - without[0], whole[1] - without[1])).toBeLessThanOrEqual(5 * (1 + 1e-15));
    }
  });
});
