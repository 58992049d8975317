import { coordinateFact } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  boundedMean,
  clipBound,
  defineClip,
  defineMean,
  InvalidParameter,
  seededRandom,
  type MeanQuery,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { squaredDistance } from './squared-distance.js';

const positive = multiScale(-3, 3).map(Math.abs);
const vector = vectorOf(3, multiScale(-3, 3));
const gradientAt = (scale: number, w: Float64Array, features: Float64Array, label = 0): Float64Array => {
  const out = new Float64Array(w.length).fill(7);
  squaredDistance.gradientInto({ scale }, out, w, { features, label });
  return out;
};

describe('squared distance', () => {
  it('is half the scale times the squared distance, with the gradient along it, whatever the label', () => {
    expect(
      squaredDistance.value({ scale: 2 }, Float64Array.of(3, 0), {
        features: Float64Array.of(0, 4),
        label: 9,
      }),
    ).toBe(25);
    fc.assert(
      fc.property(positive, vector, vector, vector, (scale, w, v, x) => {
        expect([...gradientAt(scale, w, x, 5)]).toEqual([...w].map((entry, j) => scale * (entry - x[j])));
        // Exactly quadratic: the value elsewhere is the tangent plus the scale's share of the squared step.
        const at = (point: Float64Array): number =>
          squaredDistance.value({ scale }, point, { features: x, label: -1 });
        const step = v.map((entry, j) => entry - w[j]);
        const tangent = at(w) + gradientAt(scale, w, x).reduce((sum, g, j) => sum + g * step[j], 0);
        const square = step.reduce((sum, entry) => sum + entry * entry, 0);
        expect(Math.abs(at(v) - tangent - (scale / 2) * square)).toBeLessThanOrEqual(
          1e-13 * (at(w) + at(v) + scale * square),
        );
      }),
    );
  });

  it('has a risk that exceeds the least by half the squared distance from the mean', () => {
    fc.assert(
      fc.property(positive, fc.array(vector, { minLength: 1, maxLength: 9 }), vector, (scale, records, w) => {
        const mean = w.map((_, j) => records.reduce((sum, x) => sum + x[j] / records.length, 0));
        const risk = (point: Float64Array): number =>
          records.reduce(
            (sum, features) =>
              sum + squaredDistance.value({ scale }, point, { features, label: 0 }) / records.length,
            0,
          );
        const excess = squaredDistance.value({ scale }, w, { features: mean, label: 0 });
        expect(Math.abs(risk(w) - risk(mean) - excess)).toBeLessThanOrEqual(1e-12 * (risk(w) + risk(mean)));
      }),
    );
  });

  it('states facts that records hold, and attain', () => {
    fc.assert(
      fc.property(positive, positive, positive, vector, vector, (scale, X, R, x0, w0) => {
        const facts = squaredDistance.facts({ scale }, { columns: 3, featureNorm: X, iterateNorm: R });
        const to = (v: Float64Array, length: number): Float64Array =>
          v.map((entry) => (entry * length) / Math.hypot(...v));
        const [x, w] = [to(x0, X), to(w0, R)];
        expect(Math.hypot(...gradientAt(scale, w, x))).toBeLessThanOrEqual(facts['lipschitz'].value);
        expect(squaredDistance.value({ scale }, w, { features: x, label: 0 })).toBeLessThanOrEqual(
          facts['range'].value,
        );
        const opposite = to(x0, -R);
        expect(facts['lipschitz'].value / Math.hypot(...gradientAt(scale, opposite, x))).toBeCloseTo(1, 9);
        expect(
          facts['range'].value / squaredDistance.value({ scale }, opposite, { features: x, label: 0 }),
        ).toBeCloseTo(1, 9);
        const single = squaredDistance.facts(
          { scale },
          { columns: 3, featureBounds: [0, X, 1], iterateNorm: R },
        );
        expect(
          defined(coordinateFact(single, 'coordinateLipschitz', 1)).value / (scale * (X + R)),
        ).toBeCloseTo(1, 9);
        expect(defined(coordinateFact(single, 'coordinateLipschitz', 1)).value).toBeGreaterThanOrEqual(
          Math.abs(gradientAt(scale, Float64Array.of(0, -R, 0), Float64Array.of(0, X, 0))[1]),
        );
      }),
    );
  });

  it('is smooth and strongly convex for whatever records, and Lipschitz only for bounded ones', () => {
    expect(squaredDistance.facts({ scale: 3 }, { columns: 2 })).toEqual(
      Object.fromEntries(
        (
          [
            ['smoothness', {}],
            ['strongConvexity', {}],
            ['coordinateSmoothness', { each: [3, 3] }],
          ] as const
        ).map(([name, rest]) => [
          name,
          { value: 3, scope: 'every-record', provenance: 'from-domain', ...rest },
        ]),
      ),
    );
    expect(squaredDistance.facts({ scale: 1 }, { columns: 1, featureNorm: 1 })['lipschitz']).toBeUndefined();
    expect(
      squaredDistance.facts({ scale: 1 }, { columns: 1, iterateNorm: 1, featureNorm: 1e300 })['range'],
    ).toBeUndefined();
    for (const scale of [0, -1, Number.NaN, Infinity])
      expect(() => squaredDistance({ scale })).toThrow(InvalidParameter);
    expect(squaredDistance({})).toEqual({ kind: 'loss', name: 'squared-distance', params: { scale: 1 } });
  });

  it('gives a gradient of its own to a record of zeros, and none to a null record', () => {
    expect(squaredDistance.capabilities.nullRecord).toBe(false);
    const none = z.strictObject({});
    const wide = defineClip({
      name: 'wide',
      summary: '',
      source: { id: 'test', item: '' },
      params: none,
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
      params: none,
      claims: [],
      ...boundedMean((_params, shape) => clipBound(shape, wide({}))),
      privacyRestsOn: 'clip',
      mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
      biasBound: () => 0,
      varianceBound: () => 0,
    });
    const meanWith = (nulls: Uint8Array): Float64Array => {
      const registry = [squaredDistance, wide, widest];
      const data = attachData({
        features: {
          data: new Float64Array(4),
          rows: 2,
          columns: 2,
          offset: 0,
          rowStride: 2,
          columnStride: 1,
        },
        labels: new Float64Array(2),
        nulls,
        loss: squaredDistance({}),
        registry,
        ledger: openLedger({ adjacency: 'zero-out' }),
      });
      const curator = centralCurator({
        data,
        registry,
        run: 'r',
        random: seededRandom(1),
        allowUnprotected: true,
      });
      const query: MeanQuery = {
        ask: 'mean',
        of: { terms: [{ weight: 1, at: Float64Array.of(2, -4) }] },
        batch: curator.allRecords,
        mean: widest({}),
        target: { unprotected: true },
      };
      return curator.answer(0, query).answer as Float64Array;
    };
    expect([...meanWith(Uint8Array.of(0, 0))]).toEqual([2, -4]);
    expect([...meanWith(Uint8Array.of(0, 1))]).toEqual([1, -2]);
  });
});
