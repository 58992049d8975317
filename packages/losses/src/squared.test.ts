import { coordinateFact } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { itIsAConvexLinearLoss } from '../test/support/linear-loss-laws.js';
import { squared } from './squared.js';

const { value, slope } = defined(squared.linear);
const positive = multiScale(-3, 3).map(Math.abs);

describe('squared loss', () => {
  itIsAConvexLinearLoss(squared, multiScale(-3, 1));

  it('is half the squared residual', () => {
    expect(value({}, 3, 1)).toBe(2);
    expect(slope({}, 3, 1)).toBe(2);
    expect(slope({}, 1, 3)).toBe(-2);
  });

  it('states facts that no record of the domain exceeds', () => {
    fc.assert(
      fc.property(
        positive,
        positive,
        positive,
        vectorOf(3, multiScale(-2, 0)),
        vectorOf(3, multiScale(-2, 0)),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (featureNorm, iterateNorm, labelBound, x0, w0, share) => {
          const facts = squared.facts({}, { columns: 3, featureNorm, iterateNorm, labelBound });
          const features = x0.map((entry) => (entry * featureNorm) / Math.hypot(...x0));
          const w = w0.map((entry) => (entry * iterateNorm) / Math.hypot(...w0));
          const record = { features, label: share * labelBound };
          const gradient = new Float64Array(3);
          squared.gradientInto({}, gradient, w, record);
          expect(Math.hypot(...gradient)).toBeLessThanOrEqual(facts['lipschitz'].value);
          expect(squared.value({}, w, record)).toBeLessThanOrEqual(facts['range'].value);
        },
      ),
    );
  });

  it('states facts that are attained: they are suprema, not just bounds', () => {
    fc.assert(
      fc.property(positive, positive, positive, (X, R, Y) => {
        const facts = squared.facts(
          {},
          { columns: 2, featureNorm: X, iterateNorm: R, labelBound: Y, featureBounds: [X / 2, X] },
        );
        const record = { features: Float64Array.of(0, X), label: -Y };
        const w = Float64Array.of(0, R);
        const gradient = new Float64Array(2);
        squared.gradientInto({}, gradient, w, record);
        expect(facts['lipschitz'].value / gradient[1]).toBeCloseTo(1, 9);
        expect(facts['range'].value / squared.value({}, w, record)).toBeCloseTo(1, 9);
        expect(facts['smoothness'].value / X ** 2).toBeCloseTo(1, 9);
        expect(defined(coordinateFact(facts, 'coordinateSmoothness', 0)).value / (X / 2) ** 2).toBeCloseTo(
          1,
          9,
        );
        expect(defined(coordinateFact(facts, 'coordinateLipschitz', 1)).value / gradient[1]).toBeCloseTo(
          1,
          9,
        );
        for (const fact of Object.values(facts))
          expect(fact).toMatchObject({ scope: 'every-record', provenance: 'from-domain' });
      }),
    );
  });

  it('states only what follows', () => {
    expect(squared.facts({}, { columns: 2 })).toEqual({});
    expect(Object.keys(squared.facts({}, { columns: 2, featureNorm: 1 }))).toEqual(['smoothness']);
    expect(Object.keys(squared.facts({}, { columns: 2, featureNorm: 1, labelBound: 1 }))).toEqual([
      'smoothness',
    ]);
    expect(
      Object.keys(
        squared.facts({}, { columns: 2, featureNorm: 1, labelBound: 1, iterateNorm: 1 }),
      ).toSorted(),
    ).toEqual(['lipschitz', 'range', 'smoothness']);
    expect(squared.facts({}, { columns: 1, featureNorm: 1e200 })).toEqual({});
  });

  it('finds the feature norm in bounds per column', () => {
    const facts = squared.facts({}, { columns: 2, featureBounds: [3, 4] });
    expect(facts['smoothness'].value).toBeGreaterThanOrEqual(25);
    expect(facts['smoothness'].value).toBeLessThan(25 * (1 + 1e-9));
    expect(squared.capabilities.lipschitz).toBe('bounded');
  });

  it('takes every finite label', () => {
    expect([1.5, -1e300, 0].every((label) => squared.labels.accepts(label, {}))).toBe(true);
    expect([Number.NaN, Infinity].some((label) => squared.labels.accepts(label, {}))).toBe(false);
  });
});
