import { neumaierSum } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { range } from '../../test/factors.js';
import { doubleGeometricSum, geometricSum, geometricSumUp } from './geometric-sum.js';

/** Complements of all sizes; the ratio is `1 − complement` exactly. */
const complements = fc
  .oneof(
    fc
      .tuple(fc.integer({ min: 1, max: 255 }), fc.integer({ min: 8, max: 45 }))
      .map(([mantissa, exponent]) => mantissa * 2 ** -exponent),
    fc.integer({ min: 1, max: 511 }).map((k) => k / 256),
  )
  .filter((complement) => complement !== 1);
const powers = (q: number, terms: number): readonly number[] => range(terms).map((n) => q ** n);

describe('geometricSum', () => {
  it('adds powers, also of ratios next to one and of negative ones', () => {
    fc.assert(
      fc.property(complements, fc.nat(400), (complement, terms) => {
        const sum = neumaierSum(powers(1 - complement, terms));
        expect(Math.abs(geometricSum(1 - complement, complement, terms) - sum)).toBeLessThanOrEqual(
          1e-12 * sum,
        );
      }),
    );
  });

  it('has its limits', () => {
    expect(geometricSum(0.5, 0.5, 2000)).toBe(2);
    expect(geometricSum(0, 1, 1)).toBe(1);
    expect(geometricSum(1, 0, 7)).toBe(7);
    expect(doubleGeometricSum(1, 0, 7)).toBe(28);
    expect(geometricSum(1 - 2 ** -53, 2 ** -53, 1e6)).toBeCloseTo(1e6, 3);
  });

  it('is bounded from above, exactly where sums are numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 0, max: 12 }), (k, terms) => {
        // 16^terms Σ (k/16)^n, in integers.
        const exact =
          Number(range(terms).reduce((sum, n) => sum + BigInt(k) ** BigInt(n) * 16n ** BigInt(12 - n), 0n)) /
          16 ** 12;
        expect(geometricSumUp(1 - k / 16, terms)).toBeGreaterThanOrEqual(exact);
        expect(geometricSumUp(1 - k / 16, terms)).toBeLessThanOrEqual(exact * (1 + 2 ** -49));
      }),
    );
    expect(geometricSumUp(2 ** -53, 1e6)).toBeLessThanOrEqual(1e6);
  });
});

describe('doubleGeometricSum', () => {
  it('adds the sums', () => {
    fc.assert(
      fc.property(complements, fc.integer({ min: 1, max: 400 }), (complement, last) => {
        const q = 1 - complement;
        const sum = neumaierSum(powers(q, last).map((power, n) => power * (last - n)));
        expect(Math.abs(doubleGeometricSum(q, complement, last) - sum)).toBeLessThanOrEqual(1e-11 * sum);
      }),
    );
  });
});
