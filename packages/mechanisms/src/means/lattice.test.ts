import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, notPositive, vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { l1Clip } from '../clips/l1-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { latticeLimit, latticeSensitivity, roundToLatticeInto, type LatticeBall } from './lattice.js';

const norms = fc.constantFrom<LatticeBall['norm']>('l1', 'l2');
/** Balls of 1 to 10⁶ steps, most of them no whole number of steps. */
const balls = fc
  .tuple(
    norms,
    fc.integer({ min: 100, max: 999 }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: -300, max: 260 }),
  )
  .map(([kind, mantissa, steps, exponent]): LatticeBall => ({
    norm: kind,
    radius: mantissa * 10 ** (exponent + steps),
    spacing: 97 * 10 ** exponent,
  }));
const rounded = (vector: Float64Array, ball: LatticeBall): Float64Array =>
  roundToLatticeInto(new Float64Array(vector.length), vector, ball);
const sizeOf = (point: Float64Array, kind: LatticeBall['norm']): bigint =>
  point.reduce((sum, k) => sum + (kind === 'l1' ? BigInt(Math.abs(k)) : BigInt(k) ** 2n), 0n);

describe('roundToLatticeInto', () => {
  it('gives whole numbers within the limit, counted exactly, for every vector', () => {
    fc.assert(
      fc.property(
        balls,
        fc.integer({ min: 1, max: 40 }).chain((length) => vectorOf(length, -3, 3)),
        (ball, vector) => {
          const point = rounded(
            vector.map((x) => x * ball.radius),
            ball,
          );
          expect(point.every(Number.isSafeInteger)).toBe(true);
          expect(point.some((k) => Object.is(k, -0))).toBe(false);
          expect(sizeOf(point, ball.norm) <= BigInt(latticeLimit(ball))).toBe(true);
        },
      ),
    );
  });

  it('moves a clipped vector by less than a step per entry, and by at most half inside the ball', () => {
    fc.assert(
      fc.property(
        balls,
        fc.integer({ min: 1, max: 12 }).chain((length) => vectorOf(length, -2, 1)),
        (ball, direction) => {
          const { radius, spacing } = ball;
          const vector = direction.map((x) => x * radius);
          const clipped = vector.slice();
          (ball.norm === 'l1' ? l1Clip : l2Clip).clipInPlace({ radius }, clipped);
          const back = rounded(vector, ball).map((k) => k * spacing);
          const error = minus(back, clipped);
          for (const x of error) expect(Math.abs(x)).toBeLessThanOrEqual(spacing * (1 + 2 ** -20));
          const size =
            ball.norm === 'l1'
              ? clipped.reduce((sum, x) => sum + Math.abs(x), 0) + (vector.length * spacing) / 2
              : norm(clipped) + (Math.sqrt(vector.length) * spacing) / 2;
          if (size < radius * (1 - 1e-12))
            for (const x of error) expect(Math.abs(x)).toBeLessThanOrEqual((spacing / 2) * (1 + 1e-9));
        },
      ),
    );
  });

  it('leaves points of the grid in the ball where they are', () => {
    fc.assert(
      fc.property(
        norms,
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: -200, max: 200 }),
        (kind, steps, exponent) => {
          const spacing = 3 * 2 ** exponent;
          const point = Float64Array.from(steps, (k) => k + 0);
          const size =
            kind === 'l1' ? point.reduce((sum, k) => sum + Math.abs(k), 0) : Math.ceil(norm(point));
          fc.pre(size >= 1);
          expect(
            rounded(
              point.map((k) => k * spacing),
              { norm: kind, radius: size * spacing, spacing },
            ),
          ).toEqual(point);
        },
      ),
    );
  });

  it.each([
    ['l2', 3, 0.9],
    ['l2', 1000, 0.9],
    ['l2', 4097, 0.8],
    ['l1', 3, 0.99],
    ['l1', 1000, 1],
  ] as const)(
    'stays in the %s ball where all of %d entries would be rounded out of it, and keeps %d of its size',
    (kind, length, kept) => {
      const ball = { norm: kind, radius: 1000, spacing: 1 };
      const size = Number(sizeOf(rounded(new Float64Array(length).fill(1e300), ball), kind));
      expect(size).toBeLessThanOrEqual(latticeLimit(ball));
      expect(size).toBeGreaterThanOrEqual(kept * latticeLimit(ball));
    },
  );

  it('makes a vector that is not finite zero, and leaves the vector alone', () => {
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      const vector = Float64Array.of(1, bad, 2);
      expect(rounded(vector, { norm: 'l2', radius: 1, spacing: 0.1 })).toEqual(new Float64Array(3));
      expect(vector).toEqual(Float64Array.of(1, bad, 2));
    }
  });

  it('refuses what is no ball', () => {
    const refused = (ball: LatticeBall): void => {
      expect(() => latticeLimit(ball)).toThrow(InvalidParameter);
      expect(() => rounded(Float64Array.of(1), ball)).toThrow(InvalidParameter);
    };
    fc.assert(
      fc.property(norms, notPositive, (kind, bad) => {
        refused({ norm: kind, radius: bad, spacing: 1 });
        refused({ norm: kind, radius: 1, spacing: bad });
      }),
    );
    refused({ norm: 'l2', radius: 1, spacing: 1 + 2 ** -52 });
    refused({ norm: 'l2', radius: 2 ** 26 + 1, spacing: 1 });
    expect(() =>
      roundToLatticeInto(new Float64Array(2), new Float64Array(3), { norm: 'l2', radius: 1, spacing: 1 }),
    ).toThrow(InvalidParameter);
  });
});

describe('latticeLimit', () => {
  it('is the floor of radius/spacing, or of its square, in exact arithmetic', () => {
    expect(latticeLimit({ norm: 'l2', radius: 2 ** 26, spacing: 1 })).toBe(2 ** 52);
    expect(latticeLimit({ norm: 'l1', radius: 0.7, spacing: 0.1 })).toBe(6);
    expect(latticeLimit({ norm: 'l1', radius: 7, spacing: 1 })).toBe(7);
    expect(latticeLimit({ norm: 'l2', radius: 1, spacing: 0.1 })).toBe(99);
    expect(latticeSensitivity({ norm: 'l2', radius: 1e-300, spacing: 1e-300 })).toBe(1);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 26 }),
        multiScale(-9, 9).filter((x) => x > 0),
        (steps, spacing) => {
          const radius = steps * spacing;
          const exact = radius / spacing === steps;
          fc.pre(exact);
          expect(Math.abs(latticeLimit({ norm: 'l1', radius, spacing }) - steps)).toBeLessThanOrEqual(1);
          expect(latticeSensitivity({ norm: 'l2', radius, spacing })).toBeLessThanOrEqual(
            steps * (1 + 2 ** -50),
          );
        },
      ),
    );
  });
});
