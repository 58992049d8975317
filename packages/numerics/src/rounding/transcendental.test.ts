import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expBits,
  fixed,
  fixedExp,
  multiScale,
  type Rational,
  rational,
  times,
} from '../../test/exact-arithmetic.js';
import { InvalidParameter } from '../errors.js';
import * as rounding from './index.js';

const { nextDown, nextUp } = rounding;
const one = 1n << expBits;
const exponents = fc
  .oneof(
    multiScale(-53, 9),
    multiScale(-200, 9),
    fc.integer({ min: -7440, max: 7090 }).map((k) => k / 10 + k / 2 ** 43),
  )
  .filter((x) => x !== 0 && x > -745 && x < 709.7);

function expectNarrow(lower: number, upper: number): void {
  expect(lower).toBeLessThan(upper);
  expect(upper).toBeLessThanOrEqual(nextUp(nextUp(lower)));
}

describe('exp and expm1 against 1500-bit integers', () => {
  it('exp is enclosed within two steps', () => {
    fc.assert(
      fc.property(exponents, (x) => {
        const [lower, upper] = [rounding.expDown(x), rounding.expUp(x)];
        expectNarrow(lower, upper);
        expect(fixed(lower, expBits) < fixedExp(x)).toBe(true);
        expect(fixed(upper, expBits) > fixedExp(x)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('expm1 is enclosed within three steps', () => {
    fc.assert(
      fc.property(exponents, (x) => {
        const [lower, upper] = [rounding.expm1Down(x), rounding.expm1Up(x)];
        expect(lower).toBeLessThan(upper);
        expect(upper).toBeLessThanOrEqual(nextUp(nextUp(nextUp(lower))));
        expect(lower).toBeGreaterThanOrEqual(-1);
        expect(fixed(lower, expBits) < fixedExp(x) - one).toBe(true);
        expect(fixed(upper, expBits) > fixedExp(x) - one).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('handle the ends', () => {
    expect([rounding.expDown(0), rounding.expUp(-0)]).toEqual([1, 1]);
    expect([rounding.expDown(710), rounding.expUp(710)]).toEqual([Number.MAX_VALUE, Infinity]);
    expect([rounding.expDown(-800), rounding.expUp(-800)]).toEqual([0, 5e-324]);
    expect([rounding.expUp(-Infinity), rounding.expDown(Infinity)]).toEqual([0, Infinity]);
    expect([
      rounding.expDown(1e-300),
      rounding.expUp(1e-300),
      rounding.expDown(-1e-300),
      rounding.expUp(-1e-300),
    ]).toEqual([1, nextUp(1), nextDown(1), 1]);
    expect([rounding.expm1Down(5e-324), rounding.expm1Up(5e-324)]).toEqual([5e-324, 1e-323]);
    expect([rounding.expm1Down(-900), rounding.expm1Up(-900)]).toEqual([-1, nextUp(-1)]);
    expect([rounding.expm1Up(-Infinity), rounding.expm1Down(Infinity), rounding.expm1Up(0)]).toEqual([
      -1,
      Infinity,
      0,
    ]);
    expect(() => rounding.expUp(NaN)).toThrow(InvalidParameter);
    expect(() => rounding.expm1Down(NaN)).toThrow(InvalidParameter);
  });
});

describe('log and log1p, inverted by 1500-bit integers', () => {
  const nearOne = multiScale(-52, -2).map((x) => 1 + x);
  it('log is enclosed within two steps', () => {
    fc.assert(
      fc.property(
        fc.oneof(multiScale(-1074, 1024).map(Math.abs), nearOne).filter((x) => x !== 1),
        (x) => {
          const [lower, upper] = [rounding.logDown(x), rounding.logUp(x)];
          expectNarrow(lower, upper);
          expect(fixedExp(lower) < fixed(x, expBits)).toBe(true);
          expect(fixedExp(upper) > fixed(x, expBits)).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('log1p is enclosed within two steps', () => {
    const inputs = fc.oneof(
      multiScale(-53, 0),
      multiScale(-300, 0),
      multiScale(0, 1024).map(Math.abs),
      multiScale(-52, -1).map((x) => Math.abs(x) - 1),
    );
    fc.assert(
      fc.property(
        inputs.filter((x) => x > -1),
        (x) => {
          const [lower, upper] = [rounding.log1pDown(x), rounding.log1pUp(x)];
          expectNarrow(lower, upper);
          expect(fixedExp(lower) < one + fixed(x, expBits)).toBe(true);
          expect(fixedExp(upper) > one + fixed(x, expBits)).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('handle the ends', () => {
    expect([rounding.logDown(1), rounding.logUp(1), rounding.logUp(0), rounding.logDown(Infinity)]).toEqual([
      0,
      0,
      -Infinity,
      Infinity,
    ]);
    expect([rounding.log1pUp(0), rounding.log1pDown(-1), rounding.log1pUp(Infinity)]).toEqual([
      0,
      -Infinity,
      Infinity,
    ]);
    expect([rounding.log1pDown(5e-324), rounding.log1pUp(5e-324)]).toEqual([0, 5e-324]);
    for (const bad of [
      () => rounding.logUp(-1e-300),
      () => rounding.logDown(NaN),
      () => rounding.log1pUp(-1.5),
      () => rounding.log1pDown(NaN),
    ])
      expect(bad).toThrow(InvalidParameter);
  });
});

describe('powUp and powDown', () => {
  const integerPower = (x: number, n: number): Rational =>
    Array.from({ length: n }, () => rational(x)).reduce(times, rational(1));
  /** Sign of x − y for rationals. */
  const sign = (x: Rational, y: Rational): number => {
    const difference = x.numerator * y.denominator - y.numerator * x.denominator;
    if (difference > 0n) return 1;
    return difference < 0n ? -1 : 0;
  };

  it('enclose x^(k/4): compare fourth powers exactly', () => {
    fc.assert(
      fc.property(multiScale(-60, 60).map(Math.abs), fc.integer({ min: 1, max: 30 }), (x, k) => {
        const [lower, upper] = [rounding.powDown(x, k / 4), rounding.powUp(x, k / 4)];
        expect(upper).toBeLessThanOrEqual(nextUp(nextUp(lower)));
        expect(sign(integerPower(lower, 4), integerPower(x, k))).toBeLessThanOrEqual(0);
        expect(sign(integerPower(upper, 4), integerPower(x, k))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  it('enclose negative powers', () => {
    fc.assert(
      fc.property(multiScale(-60, 60).map(Math.abs), fc.integer({ min: 1, max: 12 }), (x, k) => {
        const exact = integerPower(x, k);
        expect(sign(times(rational(rounding.powDown(x, -k)), exact), rational(1))).toBeLessThanOrEqual(0);
        expect(sign(times(rational(rounding.powUp(x, -k)), exact), rational(1))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  it('leave exact powers alone', () => {
    for (const power of [rounding.powUp, rounding.powDown]) {
      expect([
        power(3, 20),
        power(2, -1074),
        power(2, 1023),
        power(0.25, 0.5),
        power(7, 1),
        power(5, 0),
        power(1, 1e300),
      ]).toEqual([3 ** 20, 5e-324, 2 ** 1023, 0.5, 7, 1, 1]);
      expect([
        power(0, 2),
        power(0, -2),
        power(Infinity, -1),
        power(2, Infinity),
        power(2, -Infinity),
        power(0.5, Infinity),
      ]).toEqual([0, Infinity, 0, Infinity, 0, 0]);
    }
  });

  it('handle overflow, underflow and powers next to one', () => {
    expect([rounding.powDown(10, 400.5), rounding.powUp(10, 400.5)]).toEqual([Number.MAX_VALUE, Infinity]);
    expect([rounding.powDown(10, -400.5), rounding.powUp(10, -400.5)]).toEqual([0, 5e-324]);
    expect(rounding.powUp(2, 1e-300)).toBe(nextUp(1));
    expect(rounding.powDown(2, -1e-300)).toBe(nextDown(1));
    expect(rounding.powDown(2, 1e-300)).toBeLessThanOrEqual(1);
    expect(rounding.powUp(2, 5e-324)).toBeGreaterThan(1);
    for (const bad of [
      () => rounding.powUp(-1, 2),
      () => rounding.powDown(2, NaN),
      () => rounding.powUp(Infinity, 0),
      () => rounding.powUp(1, Infinity),
    ])
      expect(bad).toThrow(InvalidParameter);
  });
});
