import { expDown, expUp } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fractionOf, log2Floor } from './dyadic.js';
import { expMinus } from './exp-minus.js';

const fractions = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 60n }), fc.bigInt({ min: 1n, max: 2n ** 60n }))
  .map(([numerator, denominator]) => ({ numerator, denominator }));

describe('fractionOf', () => {
  it('is the double, in lowest terms', () => {
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }), (x) => {
        const { numerator, denominator } = fractionOf(x);
        expect(numerator < 2n ** 53n || denominator === 1n).toBe(true);
        expect(numerator % 2n === 1n || denominator === 1n).toBe(true);
        const places = log2Floor(denominator);
        const half = Math.floor(places / 2);
        expect(denominator).toBe(1n << BigInt(places));
        expect(Number(numerator) * 2 ** -half * 2 ** (half - places)).toBe(x);
      }),
      { examples: [[Number.MIN_VALUE], [Number.MAX_VALUE], [1], [2 ** -1022]] },
    );
  });

  it('knows the highest bit of a whole number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), (x) => {
        expect(log2Floor(x)).toBe(x.toString(2).length - 1);
      }),
    );
  });
});

describe('expMinus', () => {
  it('is e^(−1) to sixty digits', () => {
    const digits = 367879441171442321595523770161460867445811131031767834507836n;
    const bits = 199;
    const scaled = (digits << BigInt(bits)) / 10n ** 60n;
    const found = expMinus({ numerator: 1n, denominator: 1n }, bits);
    expect(found - scaled).toBeGreaterThanOrEqual(-3n);
    expect(found - scaled).toBeLessThanOrEqual(3n);
  });

  it('agrees with the directed exponential of doubles', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 30 }),
        fc.integer({ min: -60, max: 6 }),
        (mantissa, exponent) => {
          const x = (mantissa / 2 ** 30) * 2 ** exponent;
          const found = Number(expMinus(fractionOf(x), 200)) / 2 ** 200;
          expect(found).toBeGreaterThanOrEqual(expDown(-x) * (1 - 2 ** -52) - 2 ** -198);
          expect(found).toBeLessThanOrEqual(expUp(-x) * (1 + 2 ** -52) + 2 ** -198);
        },
      ),
    );
  });

  it('is off by at most 2, whatever the precision', () => {
    fc.assert(
      fc.property(fractions, fc.integer({ min: 1, max: 300 }), (x, bits) => {
        const coarse = expMinus(x, bits);
        const fine = expMinus(x, bits + 64);
        const gap = (coarse << 64n) - fine;
        expect(gap < 0n ? -gap : gap).toBeLessThanOrEqual((2n << 64n) + 2n);
      }),
      // Off by 2.6 without bits to spare.
      { examples: [[{ numerator: 3n, denominator: 10n }, 300]] },
    );
  });

  it('turns sums into products', () => {
    fc.assert(
      fc.property(fractions, fractions, (x, y) => {
        const both = {
          numerator: x.numerator * y.denominator + y.numerator * x.denominator,
          denominator: x.denominator * y.denominator,
        };
        const gap = ((expMinus(x, 150) * expMinus(y, 150)) >> 150n) - expMinus(both, 150);
        expect(gap < 0n ? -gap : gap).toBeLessThanOrEqual(8n);
      }),
    );
    expect(expMinus({ numerator: 0n, denominator: 1n }, 70)).toBe(1n << 70n);
    expect(expMinus({ numerator: 2n ** 1100n, denominator: 1n }, 70)).toBe(0n);
  });
});
