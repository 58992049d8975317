import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compare,
  fixed,
  multiScale,
  over,
  plus,
  type Rational,
  rational,
  times,
} from '../../test/exact-arithmetic.js';
import { InvalidParameter } from '../errors.js';
import * as rounding from './index.js';

const { nextDown, nextUp } = rounding;
const edges = fc.constantFrom(
  0,
  -0,
  5e-324,
  -5e-324,
  2 ** -1022,
  2 ** -1022 - 5e-324,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  1,
  -1,
  1 - 2 ** -53,
  2 ** 1023,
);
const anything = fc.oneof(
  { weight: 4, arbitrary: multiScale(-40, 40) },
  { weight: 3, arbitrary: multiScale(-1074, 1024) },
  { weight: 1, arbitrary: edges },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);

/** Down and up are the greatest and the least doubles around the exact value. */
function expectTight(lower: number, upper: number, exact: Rational): void {
  expect(compare(lower, exact)).toBeLessThanOrEqual(0);
  expect(compare(upper, exact)).toBeGreaterThanOrEqual(0);
  expect(compare(nextUp(lower), exact)).toBeGreaterThan(0);
  expect(compare(nextDown(upper), exact)).toBeLessThan(0);
}

describe('nextUp and nextDown', () => {
  it('walk through zero, subnormals, powers of two and the ends', () => {
    expect(nextUp(0)).toBe(5e-324);
    expect(nextUp(-0)).toBe(5e-324);
    expect(nextDown(0)).toBe(-5e-324);
    expect(nextUp(-5e-324)).toBe(-0);
    expect(nextUp(1)).toBe(1 + 2 ** -52);
    expect(nextDown(1)).toBe(1 - 2 ** -53);
    expect(nextUp(2 ** -1022 - 5e-324)).toBe(2 ** -1022);
    expect(nextUp(Number.MAX_VALUE)).toBe(Infinity);
    expect(nextUp(-Infinity)).toBe(-Number.MAX_VALUE);
    expect(nextDown(Infinity)).toBe(Number.MAX_VALUE);
    expect(nextUp(2 ** 32 * (1 + (2 ** 32 - 1) / 2 ** 52))).toBe(2 ** 32 * (1 + 2 ** -20));
  });

  it('have nothing between them', () => {
    fc.assert(
      fc.property(anything, (x) => {
        const up = nextUp(x);
        expect(up).toBeGreaterThan(x);
        expect(nextDown(up) === x).toBe(true);
        const middle = x / 2 + up / 2;
        expect(middle === x || middle === up || !Number.isFinite(up) || Math.abs(x) < 2 ** -1021).toBe(true);
      }),
    );
  });
});

describe('exponentOf and scaleByPowerOfTwo', () => {
  it('take a number apart and put it together again', () => {
    fc.assert(
      fc.property(
        anything.filter((x) => x !== 0),
        (x) => {
          const exponent = rounding.exponentOf(x);
          const mantissa = rounding.scaleByPowerOfTwo(x, -exponent);
          expect(Math.abs(mantissa)).toBeGreaterThanOrEqual(1);
          expect(Math.abs(mantissa)).toBeLessThan(2);
          expect(rounding.scaleByPowerOfTwo(mantissa, exponent)).toBe(x);
        },
      ),
    );
  });

  it('round once into the subnormal range, and saturate far away', () => {
    expect(rounding.scaleByPowerOfTwo(1 + 2 ** -52, -1074)).toBe(5e-324);
    expect(rounding.scaleByPowerOfTwo(1.5 + 2 ** -52, -1074)).toBe(1e-323);
    expect(rounding.scaleByPowerOfTwo(1.5, -1076)).toBe(0);
    expect(rounding.scaleByPowerOfTwo(-1, -1e9)).toBe(-0);
    expect(rounding.scaleByPowerOfTwo(5e-324, 2097)).toBe(2 ** 1023);
    expect(rounding.scaleByPowerOfTwo(1, 1e9)).toBe(Infinity);
  });

  it('round to the nearest subnormal number by exact integers', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 52 - 1 }),
        fc.integer({ min: -1070, max: -1023 }),
        fc.integer({ min: -1400, max: -1001 }),
        (fraction, target, k) => {
          const x = (1 + fraction / 2 ** 52) * 2 ** (target - k);
          // In units of half a step, with two more bits of which the last holds all that is beyond.
          const whole = fixed(x, 4000n);
          const shift = BigInt(4000 - 1074 - k - 3);
          const cut = whole >> shift;
          const held = cut << shift === whole ? cut : cut | 1n;
          const [steps, rest] = [held >> 3n, held & 7n];
          const up = rest > 4n || (rest === 4n && (steps & 1n) === 1n);
          expect(rounding.scaleByPowerOfTwo(x, k)).toBe(Number(up ? steps + 1n : steps) * 2 ** -1074);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('directed arithmetic against exact rationals', () => {
  it('adds and subtracts', () => {
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        expectTight(rounding.addDown(a, b), rounding.addUp(a, b), plus(rational(a), rational(b)));
        expectTight(rounding.subtractDown(a, b), rounding.subtractUp(a, b), plus(rational(a), rational(-b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('multiplies', () => {
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        expectTight(rounding.multiplyDown(a, b), rounding.multiplyUp(a, b), times(rational(a), rational(b)));
      }),
      { numRuns: 3000 },
    );
  });

  it('multiplies where the product is subnormal', () => {
    fc.assert(
      fc.property(multiScale(-540, -500), multiScale(-560, -500), (a, b) => {
        expectTight(rounding.multiplyDown(a, b), rounding.multiplyUp(a, b), times(rational(a), rational(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('divides', () => {
    fc.assert(
      fc.property(
        anything,
        anything.filter((b) => b !== 0),
        (a, b) => {
          expectTight(rounding.divideDown(a, b), rounding.divideUp(a, b), over(rational(a), rational(b)));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('divides where the quotient is subnormal', () => {
    fc.assert(
      fc.property(multiScale(-1060, -1000), multiScale(-10, 70), (a, b) => {
        expectTight(rounding.divideDown(a, b), rounding.divideUp(a, b), over(rational(a), rational(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes square roots', () => {
    fc.assert(
      fc.property(anything.map(Math.abs), (x) => {
        const [lower, upper] = [rounding.sqrtDown(x), rounding.sqrtUp(x)];
        const square = (y: number): Rational => times(rational(y), rational(y));
        expect(compare(x, square(lower))).toBeGreaterThanOrEqual(0);
        expect(compare(x, square(upper))).toBeLessThanOrEqual(0);
        expect(compare(x, square(nextUp(lower)))).toBeLessThan(0);
        if (x > 0) expect(compare(x, square(nextDown(upper)))).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves exact results alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (a, b) => {
        for (const add of [rounding.addUp, rounding.addDown]) expect(add(a, b)).toBe(a + b);
        for (const multiply of [rounding.multiplyUp, rounding.multiplyDown])
          expect(multiply(a, b)).toBe(a * b);
        for (const divide of [rounding.divideUp, rounding.divideDown])
          expect(divide(a * b, b) === a).toBe(true);
        for (const root of [rounding.sqrtUp, rounding.sqrtDown]) expect(root(b * b)).toBe(b);
      }),
    );
  });

  it('bounds overflow and follows infinities', () => {
    const max = Number.MAX_VALUE;
    expect([rounding.addDown(max, max), rounding.addUp(max, max)]).toEqual([max, Infinity]);
    expect([rounding.addDown(-max, -max), rounding.addUp(-max, -max)]).toEqual([-Infinity, -max]);
    expect([rounding.multiplyDown(max, -2), rounding.multiplyUp(max, -2)]).toEqual([-Infinity, -max]);
    expect([rounding.divideDown(max, 0.5), rounding.divideUp(max, 0.5)]).toEqual([max, Infinity]);
    expect([
      rounding.addDown(Infinity, 1),
      rounding.multiplyDown(-Infinity, 2),
      rounding.divideUp(1, Infinity),
    ]).toEqual([Infinity, -Infinity, 0]);
  });

  it('refuses missing values', () => {
    for (const undefinedOperation of [
      () => rounding.addUp(Infinity, -Infinity),
      () => rounding.addDown(NaN, 1),
      () => rounding.multiplyUp(0, Infinity),
      () => rounding.multiplyDown(NaN, 0),
      () => rounding.divideUp(1, 0),
      () => rounding.divideDown(1, -0),
      () => rounding.divideUp(Infinity, Infinity),
      () => rounding.sqrtUp(-1),
      () => rounding.sqrtDown(NaN),
      () => rounding.sumUp([Infinity, 1, -Infinity]),
      () => rounding.sumDown([1, NaN]),
    ])
      expect(undefinedOperation).toThrow(InvalidParameter);
  });
});

describe('sumUp and sumDown', () => {
  it('are tight around the exact sum, in any order', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            multiScale(-60, 60),
            multiScale(-1074, 1000),
            edges.filter((x) => Math.abs(x) < 1e300),
          ),
          { maxLength: 12 },
        ),
        (values) => {
          const exact = values.reduce((total, value) => plus(total, rational(value)), rational(0));
          expectTight(rounding.sumDown(values), rounding.sumUp(values), exact);
          const reversed = values.toReversed();
          expect(rounding.sumUp(reversed) === rounding.sumUp(values)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('detect differences far below the last place', () => {
    expect(rounding.sumUp([1, 1e-300])).toBe(1 + 2 ** -52);
    expect(rounding.sumDown([1, 1e-300])).toBe(1);
    expect(rounding.sumDown([1, -1e-300])).toBe(1 - 2 ** -53);
    expect(rounding.sumUp([1e300, 1, -1e300])).toBe(1);
    expect(rounding.sumUp([])).toBe(0);
  });

  it('stay bounds when a partial sum overflows', () => {
    const max = Number.MAX_VALUE;
    expect(rounding.sumUp([max, max, -max])).toBeGreaterThanOrEqual(max);
    expect(rounding.sumDown([max, max, -max])).toBeLessThanOrEqual(max);
    expect(rounding.sumUp([-max, -max, max])).toBeGreaterThanOrEqual(-max);
    expect(rounding.sumUp([max, max, -Infinity])).toBe(-Infinity);
    expect(rounding.sumDown([-max, -max, Infinity])).toBe(Infinity);
  });
});
