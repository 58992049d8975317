import { InvalidParameter } from '@lethe/core';
import betainc from '@stdlib/math-base-special-betainc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialAtLeast, binomialAtMost, clopperPearson } from './index.js';

/** Exact sum, largest term first scaled out. */
function tail(from: number, to: number, trials: number, p: number): number {
  let sum = 0;
  for (let k = from; k <= to; k++) {
    let term = 1;
    for (let i = 1; i <= k; i++) term *= ((trials - k + i) / i) * p;
    sum += term * (1 - p) ** (trials - k);
  }
  return sum;
}

describe('Clopper–Pearson', () => {
  // lower(n, n) = alpha^(1/n); the others from 40-digit arithmetic or the symmetry of the two sides.
  it.each([
    [100, 100, 1e-12, 0.758577575029184, 1],
    [0, 100, 1e-12, 0, 1 - 0.758577575029184],
    [1, 1, 0.05, 0.05, 1],
    [100, 100, 1e-20, 10 ** -0.2, 1],
    [10, 10, 1e-10, 0.1, 1],
  ])('%i of %i at %f', (successes, trials, alpha, lower, upper) => {
    const bounds = clopperPearson(successes, trials, alpha);
    expect(Math.abs(bounds.lower - lower)).toBeLessThanOrEqual(1e-13 * lower);
    expect(Math.abs(bounds.upper - upper)).toBeLessThanOrEqual(1e-13 * upper);
  });

  it('has the declared tail masses', () =>
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 2000 })
          .chain((trials) => fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials))),
        fc.integer({ min: 1, max: 15 }),
        ([successes, trials], digits) => {
          const alpha = 10 ** -digits;
          const { lower, upper } = clopperPearson(successes, trials, alpha);
          expect(lower).toBeLessThan(successes === 0 ? 1 : successes / trials);
          expect(upper).toBeGreaterThan(successes === trials ? 0 : successes / trials);
          if (successes > 0) expect(binomialAtLeast(successes, trials, lower) / alpha).toBeCloseTo(1, 6);
          if (successes < trials && upper < 1 - 1e-12)
            expect(binomialAtMost(successes, trials, upper) / alpha).toBeCloseTo(1, 3);
        },
      ),
      { numRuns: 300 },
    ));
});

describe('binomial tails', () => {
  it('equal the sums', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(40),
        fc.integer({ min: 0, max: 64 }),
        (trials, k, p64) => {
          const successes = Math.min(k, trials);
          const p = p64 / 64;
          expect(binomialAtLeast(successes, trials, p)).toBeCloseTo(tail(successes, trials, trials, p), 12);
          expect(binomialAtMost(successes, trials, p)).toBeCloseTo(tail(0, successes, trials, p), 12);
        },
      ),
    ));

  it('equal the incomplete beta function of another library', () => {
    const relative = (found: number, known: number): number =>
      known < 1e-290 ? 0 : Math.abs(found / known - 1);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: -30, max: 30, noNaN: true }),
        (trials, p, away) => {
          const spread = away * Math.sqrt(trials * p * (1 - p));
          const k = Math.max(1, Math.min(trials - 1, Math.round(trials * p + spread)));
          if (trials < 2) return;
          const upper = betainc(p, k, trials - k + 1, true, false);
          const lower = betainc(p, k + 1, trials - k, true, true);
          expect(relative(binomialAtLeast(k, trials, p), upper)).toBeLessThan(2e-9);
          expect(relative(binomialAtMost(k, trials, p), lower)).toBeLessThan(2e-9);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are accurate far in the tails', () => {
    expect(binomialAtLeast(100, 100, 0.1) / 1e-100).toBeCloseTo(1, 9);
    expect(binomialAtMost(0, 300, 0.9) / 1e-300).toBeCloseTo(1, 9);
    expect(binomialAtMost(0, 10, 1)).toBe(0);
  });
});

it.each([
  [-1, 10],
  [11, 10],
  [1.5, 10],
  [0, 0],
  [NaN, 1],
  [1, Infinity],
])('refuses %f successes in %f trials', (successes, trials) => {
  for (const f of [clopperPearson, binomialAtLeast, binomialAtMost])
    expect(() => f(successes, trials, 0.1)).toThrow(InvalidParameter);
});
it('refuses invalid levels and probabilities', () => {
  for (const alpha of [0, 1, NaN]) expect(() => clopperPearson(1, 2, alpha)).toThrow(InvalidParameter);
  for (const p of [-0.1, 1.1, NaN]) {
    expect(() => binomialAtLeast(1, 2, p)).toThrow(InvalidParameter);
    expect(() => binomialAtMost(1, 2, p)).toThrow(InvalidParameter);
  }
});
