import {
  boundedMean,
  clipBound,
  defineClip,
  defineMean,
  seededRandom,
  type Loss,
  type MeanQuery,
  type Query,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { logistic, squared } from '../src/index.js';
import { multiScale } from './support/arbitraries.js';

/** Never clips, but lets the curator take its fused kernel. */
const wide = defineClip({
  name: 'wide',
  summary: '',
  source: { id: 'test', item: '' },
  params: z.strictObject({}),
  claims: [],
  norm: 'l2',
  isProjection: true,
  radius: () => 1e250,
  factor: () => 1,
  clipInPlace: () => {},
  biasBound: () => 0,
  varianceBound: () => 0,
});

const widest = defineMean({
  name: 'widest',
  summary: '',
  source: { id: 'test', item: '' },
  params: z.strictObject({}),
  claims: [],
  ...boundedMean((_params, shape) => clipBound(shape, wide({}))),
  privacyRestsOn: 'clip',
  mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
  biasBound: () => 0,
  varianceBound: () => 0,
});

/** The slope a curator uses for the record `(x = 1, y)` at margin `m`. */
function slopeInCurator(loss: Loss, ref: ReturnType<typeof squared>, margin: number, label: number): number {
  const registry = [loss, wide, widest];
  const features = {
    data: Float64Array.of(1),
    rows: 1,
    columns: 1,
    offset: 0,
    rowStride: 1,
    columnStride: 1,
  };
  const data = attachData({
    features,
    labels: Float64Array.of(label),
    loss: ref,
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'r',
    random: seededRandom(1),
    allowUnprotected: true,
  });
  const query: Query = {
    ask: 'mean',
    of: { terms: [{ weight: 1, at: Float64Array.of(margin) }] },
    batch: curator.allRecords,
    mean: widest({}),
    target: { unprotected: true },
  };
  return (curator.answer(0, query satisfies MeanQuery).answer as Float64Array)[0];
}

describe('the fused kernel a loss names', () => {
  it('computes the slope of the squared loss', () => {
    fc.assert(
      fc.property(multiScale(-3, 3), multiScale(-3, 3), (m, y) => {
        expect(Math.abs(slopeInCurator(squared, squared({}), m, y) - (m - y))).toBeLessThanOrEqual(
          1e-15 * (Math.abs(m) + Math.abs(y)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('computes the slope of the logistic loss, far out too', () => {
    const slope = (m: number, y: number): number => defined(logistic.linear).slope({}, m, y);
    fc.assert(
      fc.property(multiScale(-3, 2), fc.constantFrom(-1, 1), (m, y) => {
        expect(Math.abs(slopeInCurator(logistic, logistic({}), m, y) - slope(m, y))).toBeLessThanOrEqual(
          1e-14,
        );
      }),
      { numRuns: 60 },
    );
    for (const m of [-1e6, -800, 800, 1e6])
      expect(slopeInCurator(logistic, logistic({}), m, 1)).toBeCloseTo(slope(m, 1), 14);
  });
});
