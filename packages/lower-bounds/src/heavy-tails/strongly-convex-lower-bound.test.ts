import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stronglyConvexLowerBound } from './strongly-convex-lower-bound.js';

type Given = Parameters<typeof stronglyConvexLowerBound.params.parse>[0] & object;
const base = {
  n: 10_000,
  dimension: 100,
  rho: 0.5,
  convexity: 2,
  momentOrder: 4,
  moment: 3,
  secondMoment: 1.5,
};
const evaluate = (given: Given) =>
  stronglyConvexLowerBound.evaluate(stronglyConvexLowerBound.params.parse(given));
const anyShape = fc.record({
  n: fc.integer({ min: 1, max: 6 }).map((e) => 10 ** e),
  dimension: fc.integer({ min: 40, max: 2000 }),
  rho: fc.constantFrom(1e-3, 0.1, 1, 30),
  convexity: fc.constantFrom(0.1, 1, 20),
  momentOrder: fc.constantFrom(2, 2.5, 4, 16),
  moment: fc.constantFrom(0.5, 3, 100),
});

describe('stronglyConvexLowerBound', () => {
  it('is the printed formula, term by term, with hidden constants', () => {
    const { value, explicit, terms } = evaluate({ ...base, constants: 'hidden' });
    const cost = (10 / (Math.SQRT1_2 * 10_000)) ** 1.5;
    expect(terms['nonPrivate']).toBeCloseTo(1.5 ** 2 / (2 * 10_000), 14);
    expect(terms['private']).toBeCloseTo((9 / 2) * cost, 14);
    expect(value).toBeCloseTo(terms['nonPrivate'] + terms['private'], 14);
    expect(explicit).toBe(false);
  });

  it('proves r₂²/(8eμ(n + 1)) without privacy, above the r²/(1152μn) of the repaired construction', () => {
    fc.assert(
      fc.property(anyShape, fc.integer({ min: 1, max: 3 }), (given, n) => {
        for (const records of [n, given.n]) {
          const { value, explicit, terms } = evaluate({ ...given, n: records });
          const unit = given.moment ** 2 / given.convexity;
          expect(explicit).toBe(true);
          expect(value).toBe(Math.max(terms['nonPrivate'], terms['private']));
          expect(terms['nonPrivate'] / unit).toBeGreaterThanOrEqual(
            (1 - 1e-9) / (8 * Math.E * (records + 1)),
          );
          expect(terms['nonPrivate'] / unit).toBeGreaterThan(1 / (1152 * records));
        }
      }),
    );
    expect(evaluate({ ...base, n: 1 }).terms['nonPrivate']).toBeCloseTo(1.5 ** 2 / 16 / 4, 12);
  });

  it('proves 0.003 of the printed price of privacy where ρ ≤ d, at any d', () => {
    fc.assert(
      fc.property(
        anyShape,
        fc.constantFrom(1, 3, 40, 1000),
        fc.integer({ min: 0, max: 30 }),
        (given, dimension, e) => {
          const all = { ...given, dimension, rho: dimension * 2 ** -e };
          const printed = evaluate({ ...all, constants: 'hidden', regime: 'ignored' }).terms['private'];
          expect(evaluate(all).terms['private'] / printed).toBeGreaterThanOrEqual(0.003);
          expect(evaluate(all).terms['private'] / printed).toBeLessThan(1 / 8);
        },
      ),
    );
  });

  it('is quadratic in the moments and inversely proportional to the convexity', () => {
    fc.assert(
      fc.property(
        anyShape,
        fc.constantFrom(0.25, 3, 1e5),
        fc.constantFrom('proved', 'hidden'),
        (given, factor, constants) => {
          const { value } = evaluate({ ...given, constants });
          expect(
            evaluate({ ...given, constants, moment: given.moment * factor }).value / (factor ** 2 * value),
          ).toBeCloseTo(1, 9);
          expect(
            (evaluate({ ...given, constants, convexity: given.convexity * factor }).value * factor) / value,
          ).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('converts coordinate moments with the factor √d', () => {
    fc.assert(
      fc.property(anyShape, fc.constantFrom('proved', 'hidden'), (given, constants) => {
        const ratio =
          evaluate({ ...given, constants, assumption: 'A3' }).value /
          evaluate({ ...given, constants, moment: given.moment * Math.sqrt(given.dimension) }).value;
        expect(ratio).toBeCloseTo(1, 9);
      }),
    );
  });

  it('refuses the printed rate outside its regime, and inconsistent parameters', () => {
    for (const outside of [{ dimension: 39 }, { rho: 101 }]) {
      expect(() => evaluate({ ...base, ...outside, constants: 'hidden' })).toThrow(InvalidParameter);
      expect(evaluate({ ...base, ...outside, constants: 'hidden', regime: 'ignored' })).toMatchObject({
        explicit: false,
      });
      expect(evaluate({ ...base, ...outside })).toMatchObject({ explicit: true });
    }
    for (const bad of [
      { regime: 'ignored' },
      { secondMoment: 3.1 },
      { convexity: 0 },
      { radius: 1 },
      { convexity: Infinity },
    ])
      expect(
        stronglyConvexLowerBound.params.safeParse({ ...base, ...bad }).success,
        JSON.stringify(bad),
      ).toBe(false);
  });
});
