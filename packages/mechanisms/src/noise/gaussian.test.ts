import { InvalidParameter, seededRandom, Unsupported } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive } from '../../test/support/arbitraries.js';
import { gapMargin, largestGap } from '../../test/support/distribution.js';
import { compareProductWithOne } from '../../test/support/exact.js';
import { gaussianDeltaUp } from './gaussian-delta.js';
import { gaussian } from './gaussian.js';

const multiplier = (epsilon: number, delta: number): number => gaussian.multiplierFor({}, { epsilon, delta });
/** The exact δ by its textbook formula, without directed rounding. */
const deltaOf = (epsilon: number, sigma: number): number =>
  normalCdf(1 / (2 * sigma) - epsilon * sigma) -
  Math.exp(epsilon) * normalCdf(-1 / (2 * sigma) - epsilon * sigma);
const deltas = fc.oneof(
  positive(-12, -3),
  fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100),
);

describe('gaussian.multiplierFor({ epsilon, delta })', () => {
  // σ of one release of sensitivity 1, from published test vectors of other libraries.
  it.each([
    [1, 1e-5, 3.7306316348159374, 1e-9],
    [8, 1e-10, 0.8339892295379883, 1e-9],
    [1, 0.78760074, 1 / 3, 5e-8],
    [1, 0.12693674, 1, 5e-7],
  ])('agrees with the known multiplier for (%d, %d)', (epsilon, delta, expected, tolerance) => {
    expect(Math.abs(multiplier(epsilon, delta) / expected - 1)).toBeLessThanOrEqual(tolerance);
  });

  it('meets the target, and nothing much smaller does', () => {
    fc.assert(
      fc.property(positive(-3, 1), deltas, (epsilon, delta) => {
        const sigma = multiplier(epsilon, delta);
        expect(gaussianDeltaUp(epsilon, sigma)).toBeLessThanOrEqual(delta);
        expect(deltaOf(epsilon, sigma * (1 - 1e-8))).toBeGreaterThan(delta);
      }),
    );
  });

  it('bounds δ from above, tightly', () => {
    fc.assert(
      fc.property(positive(-3, 1), positive(-1, 1), (epsilon, sigma) => {
        const exact = deltaOf(epsilon, sigma);
        const bound = gaussianDeltaUp(epsilon, sigma);
        fc.pre(exact > 1e-200);
        expect(bound).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
        expect(bound).toBeLessThanOrEqual(exact + 1e-12 * (exact + normalCdf(0.5 / sigma - epsilon * sigma)));
      }),
    );
  });

  it('falls as ε or δ grows', () => {
    fc.assert(
      fc.property(positive(-3, 1), deltas, fc.integer({ min: 101, max: 200 }), (epsilon, delta, percent) => {
        fc.pre((delta * percent) / 100 < 1);
        expect(multiplier((epsilon * percent) / 100, delta)).toBeLessThan(multiplier(epsilon, delta));
        expect(multiplier(epsilon, (delta * percent) / 100)).toBeLessThan(multiplier(epsilon, delta));
      }),
    );
  });

  it('stays certified at extreme targets', () => {
    fc.assert(
      fc.property(
        positive(-300, 300),
        fc.oneof(positive(-300, -1), fc.constant(1 - 2 ** -53)),
        (epsilon, delta) => {
          fc.pre(delta < 1);
          const sigma = multiplier(epsilon, delta);
          expect(sigma).toBeGreaterThan(0);
          expect(sigma).toBeLessThan(Infinity);
          expect(gaussianDeltaUp(epsilon, sigma)).toBeLessThanOrEqual(delta);
        },
      ),
      { numRuns: 50 },
    );
    // As ε → 0 the condition is δ(0) = 2 Φ(1/2σ) − 1; for large ε the leading term is 1/√(2ε).
    expect(multiplier(1e-250, 1e-3) * 1e-3).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 6);
    expect(multiplier(1e6, 1e-6) * Math.sqrt(2e6)).toBeCloseTo(1, 2);
  });

  it('says what would work where no multiplier does', () => {
    expect(() => multiplier(1, 0)).toThrow(Unsupported);
    expect(() => multiplier(1, 0)).toThrow(/delta above 0.*rho.*laplace/u);
    expect(() => multiplier(5e-324, 5e-324)).toThrow(Unsupported);
  });

  it('refuses targets that are none', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => multiplier(bad, 1e-5)).toThrow(InvalidParameter);
        expect(() => gaussian.multiplierFor({}, { rho: bad })).toThrow(InvalidParameter);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(-1e-9, 1, 2, Number.NaN, Infinity), (delta) => {
        expect(() => multiplier(1, delta)).toThrow(InvalidParameter);
      }),
    );
  });
});

describe('gaussian.multiplierFor({ rho })', () => {
  it('is 1/√(2ρ), rounded to the private side in exact arithmetic', () => {
    fc.assert(
      fc.property(positive(-100, 100), (rho) => {
        const sigma = gaussian.multiplierFor({}, { rho });
        expect(compareProductWithOne(2, rho, sigma, sigma)).toBeGreaterThanOrEqual(0);
        const less = sigma * (1 - 2 ** -51);
        expect(compareProductWithOne(2, rho, less, less)).toBe(-1);
      }),
    );
    expect(gaussian.multiplierFor({}, { rho: 0.5 })).toBe(1);
    expect(gaussian.multiplierFor({}, { rho: Number.MIN_VALUE })).toBeLessThan(Infinity);
    expect(gaussian.multiplierFor({}, { rho: Number.MAX_VALUE })).toBeGreaterThan(0);
  });
});

describe('gaussian', () => {
  it('writes its multiplier and the relative sensitivities into the event', () => {
    expect(gaussian.event({}, 2, { 'replace-one': 1, 'zero-out': 0.5, 'add-remove': undefined })).toEqual({
      kind: 'core/gaussian',
      v: 1,
      sigma: 2,
      sensitivity: { 'replace-one': 1, 'zero-out': 0.5 },
    });
  });

  // Scales away from 1, so that a variance used as a standard deviation shows.
  it.each([0.25, 3])('adds noise of the declared law at scale %d', (scale) => {
    const n = 100_000;
    const value = new Float64Array(n).fill(7);
    gaussian.addNoise({}, value, scale, seededRandom('gaussian law'));
    expect(largestGap(value, (x) => gaussian.cdf({}, (x - 7) / scale))).toBeLessThan(gapMargin(n));
    expect(largestGap(value, (x) => gaussian.cdf({}, (x - 7) / (scale * 1.1)))).toBeGreaterThan(gapMargin(n));
    const variance = value.reduce((sum, x) => sum + ((x - 7) / scale) ** 2, 0) / n;
    expect(variance).toBeCloseTo(gaussian.standardDeviation({}) ** 2, 1);
  });

  it('adds fresh noise to every entry, in proportion to the scale', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: -40, max: 40 }), (length, exponent) => {
        const unit = new Float64Array(length);
        const scaled = new Float64Array(length);
        gaussian.addNoise({}, unit, 1, seededRandom('gaussian scale'));
        gaussian.addNoise({}, scaled, 2 ** exponent, seededRandom('gaussian scale'));
        expect(new Set(unit).size).toBe(length);
        expect(scaled).toEqual(unit.map((x) => x * 2 ** exponent));
      }),
    );
  });

  it('refuses a scale that is not positive and finite', () => {
    fc.assert(
      fc.property(notPositive, (scale) => {
        const value = Float64Array.of(1, 2);
        expect(() => gaussian.addNoise({}, value, scale, seededRandom('refused'))).toThrow(InvalidParameter);
        expect(value).toEqual(Float64Array.of(1, 2));
      }),
    );
  });
});
