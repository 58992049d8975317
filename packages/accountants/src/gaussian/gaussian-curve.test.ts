import { normalCdf } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianDelta, gaussianEpsilonLower, gaussianEpsilonUpper } from './gaussian-curve.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));

describe('gaussianDelta', () => {
  it('encloses the textbook formula where that does not cancel', () => {
    fc.assert(
      fc.property(tenTo(-0.5, 0.7), tenTo(-1, 1), (mu, epsilon) => {
        const naive =
          normalCdf(-epsilon / mu + mu / 2) - Math.exp(epsilon) * normalCdf(-epsilon / mu - mu / 2);
        const { lower, upper } = gaussianDelta(mu, epsilon);
        expect(lower).toBeLessThanOrEqual(naive + 1e-13);
        expect(upper).toBeGreaterThanOrEqual(naive - 1e-13);
        expect(upper - lower).toBeLessThan(1e-13);
      }),
    );
  });

  it('is between 0 and 1, ordered, falling in ε and growing in μ at every scale', () => {
    fc.assert(
      fc.property(tenTo(-12, 4), tenTo(-12, 6), tenTo(-2, 1), (mu, epsilon, more) => {
        const here = gaussianDelta(mu, epsilon);
        expect(here.lower).toBeGreaterThanOrEqual(0);
        expect(here.upper).toBeGreaterThanOrEqual(here.lower);
        expect(here.upper).toBeLessThanOrEqual(1);
        expect(gaussianDelta(mu, epsilon * (1 + more)).lower).toBeLessThanOrEqual(here.upper);
        expect(gaussianDelta(mu * (1 + more), epsilon).upper).toBeGreaterThanOrEqual(here.lower);
      }),
      { numRuns: 500 },
    );
  });

  it('has its ends at no noise, no release and no ε', () => {
    expect(gaussianDelta(0, 0)).toEqual({ lower: 0, upper: 0 });
    expect(gaussianDelta(Infinity, 3)).toEqual({ lower: 1, upper: 1 });
    expect(gaussianDelta(2, Infinity)).toEqual({ lower: 0, upper: 0 });
    const { lower, upper } = gaussianDelta(2, 0);
    const distance = 2 * normalCdf(1) - 1;
    expect(lower).toBeLessThanOrEqual(distance);
    expect(upper).toBeGreaterThanOrEqual(distance);
    for (const mu of [1e-300, 1e-20, 1e20, 1e300])
      for (const epsilon of [0, 1e-300, 1, 1e300])
        expect(gaussianDelta(mu, epsilon).upper).toBeGreaterThanOrEqual(0);
  });
});

describe('ε of a Gaussian curve', () => {
  it('encloses tightly, with one end on each side of δ', () => {
    fc.assert(
      fc.property(tenTo(-3, 2), tenTo(-300, -0.01), (mu, delta) => {
        const lower = gaussianEpsilonLower(mu, delta);
        const upper = gaussianEpsilonUpper(mu, delta);
        expect(lower).toBeLessThanOrEqual(upper);
        expect(upper - lower).toBeLessThan(1e-9);
        expect(gaussianDelta(mu, upper).upper).toBeLessThanOrEqual(delta);
        if (lower > 0) expect(gaussianDelta(mu, lower).lower).toBeGreaterThanOrEqual(delta);
      }),
      { numRuns: 200 },
    );
  });

  it('has its ends at δ = 0 and 1, and is a number at every scale', () => {
    expect([gaussianEpsilonLower(1, 0), gaussianEpsilonUpper(1, 0)]).toEqual([Infinity, Infinity]);
    expect([gaussianEpsilonLower(1, 1), gaussianEpsilonUpper(0, 0)]).toEqual([0, 0]);
    expect(gaussianEpsilonUpper(Infinity, 0.5)).toBe(Infinity);
    for (const mu of [1e-200, 1e-9, 1e9, 1e150, 1e200]) {
      for (const delta of [5e-324, 1e-300, 0.5, 1 - 2 ** -53])
        expect(gaussianEpsilonUpper(mu, delta)).toBeGreaterThanOrEqual(gaussianEpsilonLower(mu, delta));
    }
  });
});
