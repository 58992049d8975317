import { coordinateFact, InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { huber } from './huber.js';
import { squared } from './squared.js';

const { value, slope } = defined(huber.linear);
const positive = multiScale(-3, 3).map(Math.abs);

describe('huber loss', () => {
  it('is the squared loss within the width, and its tangent beyond', () => {
    fc.assert(
      fc.property(positive, multiScale(-3, 3), multiScale(-3, 3), (width, label, residual) => {
        const margin = label + residual;
        const exact = margin - label;
        if (Math.abs(exact) <= width) {
          expect(value({ width }, margin, label)).toBe(defined(squared.linear).value({}, margin, label));
          expect(slope({ width }, margin, label)).toBe(exact);
        } else {
          expect(
            value({ width }, margin, label) / (0.5 * width ** 2 + width * (Math.abs(exact) - width)),
          ).toBeCloseTo(1, 12);
          expect(slope({ width }, margin, label)).toBe(Math.sign(exact) * width);
        }
      }),
    );
  });

  it('is convex, and joins without a corner', () => {
    fc.assert(
      fc.property(positive, multiScale(-3, 3), multiScale(-3, 3), (width, a, b) => {
        const tangent = value({ width }, a, 0) + slope({ width }, a, 0) * (b - a);
        const scale =
          Math.abs(value({ width }, a, 0)) +
          Math.abs(slope({ width }, a, 0) * (b - a)) +
          Math.abs(value({ width }, b, 0));
        expect(value({ width }, b, 0)).toBeGreaterThanOrEqual(tangent - 1e-14 * scale);
        expect(Math.abs(slope({ width }, a, 0) - slope({ width }, b, 0))).toBeLessThanOrEqual(
          Math.abs(a - b),
        );
        const step = width * 2 ** -20;
        expect(value({ width }, width + step, 0) - value({ width }, width - step, 0)).toBeLessThanOrEqual(
          2 * step * width * (1 + 1e-9),
        );
      }),
    );
  });

  it('states facts that no record of the domain exceeds, with and without bounded residuals', () => {
    fc.assert(
      fc.property(
        positive,
        positive,
        positive,
        positive,
        vectorOf(3, multiScale(-2, 0)),
        vectorOf(3, multiScale(-2, 0)),
        fc.integer({ min: -8, max: 8 }),
        (width, featureNorm, iterateNorm, labelBound, x0, w0, share) => {
          const bounded = huber.facts({ width }, { columns: 3, featureNorm, iterateNorm, labelBound });
          const free = huber.facts({ width }, { columns: 3, featureNorm });
          const features = x0.map((entry) => (entry * featureNorm) / Math.hypot(...x0));
          const w = w0.map((entry) => (entry * iterateNorm) / Math.hypot(...w0));
          const record = { features, label: (share * labelBound) / 8 };
          const gradient = new Float64Array(3);
          huber.gradientInto({ width }, gradient, w, record);
          expect(Math.hypot(...gradient)).toBeLessThanOrEqual(bounded['lipschitz'].value);
          expect(bounded['lipschitz'].value).toBeLessThanOrEqual(free['lipschitz'].value);
          expect(huber.value({ width }, w, record)).toBeLessThanOrEqual(bounded['range'].value);
        },
      ),
    );
  });

  it('states facts that are attained', () => {
    fc.assert(
      fc.property(positive, positive, positive, positive, (width, X, R, Y) => {
        const facts = huber.facts(
          { width },
          { columns: 2, featureNorm: X, iterateNorm: R, labelBound: Y, featureBounds: [X / 2, X] },
        );
        const record = { features: Float64Array.of(0, X), label: -Y };
        const w = Float64Array.of(0, R);
        const gradient = new Float64Array(2);
        huber.gradientInto({ width }, gradient, w, record);
        expect(facts['lipschitz'].value / gradient[1]).toBeCloseTo(1, 9);
        expect(defined(coordinateFact(facts, 'coordinateLipschitz', 1)).value / gradient[1]).toBeCloseTo(
          1,
          9,
        );
        expect(defined(coordinateFact(facts, 'coordinateLipschitz', 0)).value / gradient[1]).toBeCloseTo(
          0.5,
          9,
        );
        expect(facts['range'].value / huber.value({ width }, w, record)).toBeCloseTo(1, 9);
        expect(defined(coordinateFact(facts, 'coordinateSmoothness', 0)).value / (X / 2) ** 2).toBeCloseTo(
          1,
          9,
        );
      }),
    );
  });

  it('needs no bounds on labels or iterates, and takes any finite label', () => {
    expect(Object.keys(huber.facts({ width: 2 }, { columns: 1, featureBounds: [3] })).toSorted()).toEqual([
      'coordinateLipschitz',
      'coordinateSmoothness',
      'lipschitz',
      'smoothness',
    ]);
    expect(huber.facts({ width: 2 }, { columns: 1, featureBounds: [3] })['lipschitz'].value).toBeCloseTo(
      6,
      12,
    );
    expect(
      [1, -2e300, Infinity, Number.NaN].map((label) => huber.labels.accepts(label, { width: 1 })),
    ).toEqual([true, true, false, false]);
    expect(() => huber({ width: 0 })).toThrow(InvalidParameter);
  });
});
