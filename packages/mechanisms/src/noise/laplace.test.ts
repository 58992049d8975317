import { InvalidParameter, seededRandom, Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, notPositive, positive } from '../../test/support/arbitraries.js';
import { gapMargin, largestGap } from '../../test/support/distribution.js';
import { compareProductWithOne } from '../../test/support/exact.js';
import { laplace } from './laplace.js';

describe('laplace.multiplierFor', () => {
  it('is 1/ε rounded to the private side, whatever δ is', () => {
    fc.assert(
      fc.property(positive(-100, 100), fc.constantFrom(0, 1e-9, 0.5), (epsilon, delta) => {
        const scale = laplace.multiplierFor({}, { epsilon, delta });
        expect(compareProductWithOne(epsilon, scale)).toBeGreaterThanOrEqual(0);
        expect(compareProductWithOne(epsilon, scale * (1 - 2 ** -52))).toBe(-1);
      }),
    );
  });

  it('meets ρ through ε²/2', () => {
    fc.assert(
      fc.property(positive(-100, 100), (rho) => {
        const scale = laplace.multiplierFor({}, { rho });
        expect(compareProductWithOne(2, rho, scale, scale)).toBeGreaterThanOrEqual(0);
        expect(scale * Math.sqrt(2 * rho)).toBeCloseTo(1, 12);
      }),
    );
  });

  it('refuses targets that are none', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => laplace.multiplierFor({}, { epsilon: bad, delta: 0 })).toThrow(InvalidParameter);
        expect(() => laplace.multiplierFor({}, { rho: bad })).toThrow(InvalidParameter);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(-1e-9, 1, Number.NaN), (delta) => {
        expect(() => laplace.multiplierFor({}, { epsilon: 1, delta })).toThrow(InvalidParameter);
      }),
    );
    expect(() => laplace.multiplierFor({}, { epsilon: Number.MIN_VALUE, delta: 0 })).toThrow(Unsupported);
  });
});

describe('laplace', () => {
  it('is ε-differentially private for shifts of ℓ1 norm 1: no interval is e^ε times likelier', () => {
    fc.assert(
      fc.property(positive(-2, 0), multiScale(-2, 1), multiScale(-2, 1), (epsilon, from, to) => {
        fc.pre(from !== to);
        const scale = laplace.multiplierFor({}, { epsilon, delta: 0 });
        const probability = (shift: number): number =>
          Math.abs(laplace.cdf({}, (to - shift) / scale) - laplace.cdf({}, (from - shift) / scale));
        // Differences of distribution functions carry an absolute rounding error, which the ratio multiplies.
        const ratio = Math.exp(epsilon);
        expect(probability(0)).toBeLessThanOrEqual(ratio * (probability(1) * (1 + 1e-9) + 1e-15));
        expect(probability(1)).toBeLessThanOrEqual(ratio * (probability(0) * (1 + 1e-9) + 1e-15));
      }),
    );
    const scale = laplace.multiplierFor({}, { epsilon: 2, delta: 0 });
    expect(laplace.cdf({}, 0) / laplace.cdf({}, -1 / scale)).toBeCloseTo(Math.exp(2), 10);
  });

  it('writes its multiplier and the relative sensitivities into the event', () => {
    expect(laplace.event({}, 2, { 'replace-one': 1, 'zero-out': 0.5, 'add-remove': undefined })).toEqual({
      kind: 'core/laplace',
      v: 1,
      scale: 2,
      sensitivity: { 'replace-one': 1, 'zero-out': 0.5 },
    });
  });

  it.each([0.25, 3])('adds noise of the declared law at scale %d', (scale) => {
    const n = 100_000;
    const value = new Float64Array(n).fill(-7);
    laplace.addNoise({}, value, scale, seededRandom('laplace law'));
    expect(largestGap(value, (x) => laplace.cdf({}, (x + 7) / scale))).toBeLessThan(gapMargin(n));
    expect(largestGap(value, (x) => laplace.cdf({}, (x + 7) / (scale * 1.1)))).toBeGreaterThan(gapMargin(n));
    const variance = value.reduce((sum, x) => sum + ((x + 7) / scale) ** 2, 0) / n;
    expect(variance / laplace.standardDeviation({}) ** 2).toBeCloseTo(1, 1);
  });

  it('adds fresh noise to every entry, in proportion to the scale', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: -40, max: 40 }), (length, exponent) => {
        const unit = new Float64Array(length);
        const scaled = new Float64Array(length);
        laplace.addNoise({}, unit, 1, seededRandom('laplace scale'));
        laplace.addNoise({}, scaled, 2 ** exponent, seededRandom('laplace scale'));
        expect(new Set(unit).size).toBe(length);
        expect(scaled).toEqual(unit.map((x) => x * 2 ** exponent));
      }),
    );
  });

  it('refuses a scale that is not positive and finite', () => {
    fc.assert(
      fc.property(notPositive, (scale) => {
        expect(() => laplace.addNoise({}, new Float64Array(2), scale, seededRandom('refused'))).toThrow(
          InvalidParameter,
        );
      }),
    );
  });
});
