import { coordinateFact } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../test/support/arbitraries.js';
import { itIsAConvexLinearLoss } from '../test/support/linear-loss-laws.js';
import { logistic } from './logistic.js';

const { value, slope } = defined(logistic.linear);
const sign = fc.constantFrom(-1, 1);
const positive = multiScale(-3, 3).map(Math.abs);

describe('logistic loss', () => {
  itIsAConvexLinearLoss(logistic, sign);

  it('stays finite and in range at every margin a double can hold', () => {
    fc.assert(
      fc.property(multiScale(-320, 307), sign, (margin, y) => {
        expect(Number.isFinite(value({}, margin, y))).toBe(true);
        expect(value({}, margin, y)).toBeGreaterThanOrEqual(0);
        const s = -y * slope({}, margin, y);
        expect(s).toBeGreaterThanOrEqual(0);
        expect(s).toBeLessThanOrEqual(1);
      }),
    );
    for (const m of [1e308, Number.MAX_VALUE]) {
      expect(value({}, -m, 1)).toBe(m);
      expect(value({}, m, 1)).toBe(0);
      expect(slope({}, -m, 1)).toBe(-1);
      expect(slope({}, m, -1)).toBe(1);
      expect(Math.abs(slope({}, m, 1))).toBe(0);
    }
  });

  it('is accurate where it is tiny: log(1 + z) and z/(1 + z) at z = exp(−40)', () => {
    const z = Math.exp(-40);
    expect(value({}, 40, 1) / (z - (z * z) / 2)).toBeCloseTo(1, 14);
    expect(-slope({}, 40, 1) / (z / (1 + z))).toBeCloseTo(1, 14);
  });

  it('satisfies f(m) − f(−m) = −ym and slopes that add up to −y', () => {
    fc.assert(
      fc.property(multiScale(-6, 6), sign, (m, y) => {
        expect(Math.abs(value({}, m, y) - value({}, -m, y) + y * m)).toBeLessThanOrEqual(
          1e-15 * (1 + Math.abs(m)),
        );
        expect(slope({}, m, y) + slope({}, -m, y)).toBeCloseTo(-y, 14);
      }),
    );
  });

  it('has slope below 1 and curvature at most ¼, both approached', () => {
    fc.assert(
      fc.property(multiScale(-3, 2), sign, multiScale(-3, 0).map(Math.abs), (m, y, h) => {
        expect((slope({}, m + h, y) - slope({}, m, y)) / h).toBeLessThanOrEqual(0.25 + 1e-12);
      }),
    );
    expect((slope({}, 1e-4, 1) - slope({}, -1e-4, 1)) / 2e-4).toBeGreaterThan(0.25 - 1e-8);
    expect(slope({}, -40, 1)).toBe(-1);
  });

  it('states facts that follow, and the range that is attained', () => {
    fc.assert(
      fc.property(positive, positive, (X, R) => {
        const facts = logistic.facts({}, { columns: 1, featureNorm: X, iterateNorm: R, featureBounds: [X] });
        expect(facts['lipschitz'].value / X).toBeCloseTo(1, 9);
        expect(facts['smoothness'].value / ((X * X) / 4)).toBeCloseTo(1, 9);
        expect(defined(coordinateFact(facts, 'coordinateLipschitz', 0)).value).toBe(X);
        expect(defined(coordinateFact(facts, 'coordinateSmoothness', 0)).value / ((X * X) / 4)).toBeCloseTo(
          1,
          9,
        );
        const worst = value({}, -X * R, 1);
        expect(facts['range'].value).toBeGreaterThanOrEqual(worst);
        expect(facts['range'].value / worst).toBeCloseTo(1, 9);
      }),
    );
    expect(logistic.facts({}, { columns: 3 })).toEqual({});
    expect(Object.keys(logistic.facts({}, { columns: 3, featureNorm: 1 })).toSorted()).toEqual([
      'lipschitz',
      'smoothness',
    ]);
  });

  it('takes −1 and 1 only', () => {
    expect([-1, 1].every((label) => logistic.labels.accepts(label, {}))).toBe(true);
    expect([0, 2, Number.NaN, 0.5].some((label) => logistic.labels.accepts(label, {}))).toBe(false);
  });
});
