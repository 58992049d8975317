import { InvalidParameter, seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convexLowerBound } from './convex-lower-bound.js';
import { bernoulliMoment } from './records.js';

type Given = Parameters<typeof convexLowerBound.params.parse>[0] & object;
const base = { n: 10_000, dimension: 100, rho: 0.5, radius: 2, momentOrder: 4, moment: 3, secondMoment: 1.5 };
const evaluate = (given: Given) => convexLowerBound.evaluate(convexLowerBound.params.parse(given));
const shape = (given: Partial<typeof base> = {}) => evaluate({ ...base, ...given, constants: 'hidden' });

const anyShape = fc
  .record({
    n: fc.integer({ min: 1, max: 6 }).map((e) => 10 ** e),
    dimension: fc.integer({ min: 40, max: 2000 }),
    rho: fc.constantFrom(1e-3, 0.1, 1, 30),
    radius: fc.constantFrom(0.1, 1, 20),
    momentOrder: fc.constantFrom(2, 2.5, 4, 16),
    moment: fc.constantFrom(0.5, 3, 100),
  })
  .map((p) => ({ ...p, secondMoment: p.moment / 2 }));

describe('convexLowerBound', () => {
  it('is the formula, term by term', () => {
    const { value, explicit, terms } = shape();
    const cost = (10 / (Math.SQRT1_2 * 10_000)) ** 0.75;
    expect(terms['nonPrivate']).toBeCloseTo((2 * 1.5) / 100, 12);
    expect(terms['private']).toBeCloseTo(2 * 3 * cost, 12);
    expect(value).toBeCloseTo(0.03 + 6 * cost, 12);
    expect(explicit).toBe(false);
  });

  it('proves D r₂/(4√n), and more, without privacy', () => {
    fc.assert(
      fc.property(anyShape, (given) => {
        const { value, explicit, terms } = evaluate(given);
        const statistical = (given.radius * given.secondMoment) / Math.sqrt(given.n);
        expect(explicit).toBe(true);
        expect(value).toBe(Math.max(terms['nonPrivate'], terms['private']));
        expect(terms['nonPrivate'] / statistical).toBeGreaterThanOrEqual(0.25);
        expect(terms['nonPrivate'] / statistical).toBeLessThan(0.2652);
        expect(evaluate({ ...given, rho: 1e-9 }).terms['nonPrivate']).toBe(terms['nonPrivate']);
      }),
    );
    expect(evaluate({ ...base, n: 1 }).terms['nonPrivate']).toBeCloseTo(
      (base.radius * base.secondMoment) / 4,
      12,
    );
  });

  it('proves 0.06 of the printed price of privacy where ρ ≤ d, at any d, with one moment', () => {
    fc.assert(
      fc.property(
        anyShape,
        fc.constantFrom(1, 3, 40, 1000),
        fc.integer({ min: 0, max: 30 }),
        (given, dimension, e) => {
          const all = { ...given, secondMoment: given.moment, dimension, rho: dimension * 2 ** -e };
          const printed = evaluate({ ...all, constants: 'hidden', regime: 'ignored' }).terms['private'];
          expect(evaluate(all).terms['private'] / printed).toBeGreaterThanOrEqual(0.06);
          expect(evaluate(all).terms['private'] / printed).toBeLessThan(1);
        },
      ),
    );
  });

  it('satisfies both moment bounds in the private instance: its term is at most that of the class of order 2', () => {
    fc.assert(
      fc.property(anyShape, fc.integer({ min: 1, max: 32 }), (given, part) => {
        const secondMoment = (given.moment * part) / 32;
        const terms = evaluate({ ...given, secondMoment }).terms;
        const [both, free, two] = [
          terms['private'],
          evaluate({ ...given, secondMoment: given.moment }).terms['private'],
          evaluate({ ...given, momentOrder: 2, moment: secondMoment, secondMoment }).terms['private'],
        ];
        expect(both / Math.min(free, two)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('converts coordinate moments with the factor √d, and scales signs down whose centred moment exceeds 1', () => {
    fc.assert(
      fc.property(anyShape, (given) => {
        const whole = {
          ...given,
          moment: given.moment * Math.sqrt(given.dimension),
          secondMoment: given.secondMoment * Math.sqrt(given.dimension),
        };
        expect(shape({ ...given, assumption: 'A3' } as never).value / shape(whole).value).toBeCloseTo(1, 10);
        const [coordinates, gradients] = [
          evaluate({ ...given, assumption: 'A3' }).terms,
          evaluate(whole).terms,
        ];
        expect(coordinates['private'] / gradients['private']).toBeCloseTo(1, 10);
        expect(coordinates['nonPrivate'] / gradients['nonPrivate']).toBeCloseTo(1, 10);
      }),
    );
    const one = { n: 4, dimension: 40, rho: 1, radius: 1, momentOrder: 8, moment: 1 };
    const ratio =
      evaluate({ ...one, assumption: 'A3' }).terms['nonPrivate'] /
      evaluate({ ...one, moment: Math.sqrt(40) }).terms['nonPrivate'];
    expect(ratio).toBeCloseTo(bernoulliMoment({ bias: 0.25, order: 8 }) ** (-1 / 8), 10);
  });

  it('scales with the radius and with the moments together', () => {
    fc.assert(
      fc.property(anyShape, fc.constantFrom(0.01, 3, 1e6), (given, factor) => {
        const { value } = shape(given);
        expect(shape({ ...given, radius: given.radius * factor }).value / (factor * value)).toBeCloseTo(
          1,
          10,
        );
        expect(
          shape({ ...given, moment: given.moment * factor, secondMoment: given.secondMoment * factor })
            .value /
            (factor * value),
        ).toBeCloseTo(1, 10);
      }),
    );
  });

  it('decreases in n and ρ, and increases in the dimension', () => {
    fc.assert(
      fc.property(anyShape, (given) => {
        const { value } = shape(given);
        expect(shape({ ...given, n: 4 * given.n }).value).toBeLessThan(value);
        expect(shape({ ...given, rho: given.rho * 1.2 }).value).toBeLessThanOrEqual(value);
        expect(shape({ ...given, dimension: given.dimension + 100 }).value).toBeGreaterThanOrEqual(value);
      }),
    );
  });

  it('saturates at D(r₂/√n + r_k) where privacy allows nothing to be learned', () => {
    expect(shape({ rho: 1e-12 }).value).toBeCloseTo(2 * (1.5 / 100 + 3), 12);
  });

  it('approaches the rate of bounded gradients for large orders', () => {
    expect(
      shape({ momentOrder: 1e6 }).terms['private'] / (2 * 3 * (10 / (Math.SQRT1_2 * 10_000))),
    ).toBeCloseTo(1, 4);
  });

  it('uses r_k for r₂ when it is not given', () => {
    const { secondMoment: _, ...rest } = base;
    expect(evaluate({ ...rest, constants: 'hidden' }).terms['nonPrivate']).toBeCloseTo((2 * 3) / 100, 12);
  });

  it('refuses the printed rate outside its regime, unless it is ignored; proved bounds have no regime', () => {
    for (const outside of [{ dimension: 39 }, { rho: 101 }]) {
      expect(() => shape(outside)).toThrow(InvalidParameter);
      expect(evaluate({ ...base, ...outside })).toMatchObject({ explicit: true });
      expect(evaluate({ ...base, ...outside, constants: 'hidden', regime: 'ignored' })).toMatchObject({
        explicit: false,
      });
    }
    expect(shape({ dimension: 40 }).value).toBeGreaterThan(0);
  });

  it('refuses inconsistent parameters', () => {
    const parse = (given: object) => convexLowerBound.params.safeParse({ ...base, ...given }).success;
    expect(parse({})).toBe(true);
    for (const bad of [
      { regime: 'ignored' },
      { secondMoment: 3.1 },
      { momentOrder: 1.9 },
      { rho: 0 },
      { n: 0 },
      { n: 1.5 },
      { moment: Number.NaN },
      { radius: Infinity },
      { coupling: 2 },
      { unknown: 1 },
    ]) {
      expect(parse(bad), JSON.stringify(bad)).toBe(false);
    }
  });

  it('draws the requested instance, of the declared shape', () => {
    for (const instance of ['non-private', 'private'] as const) {
      const drawn = defined(convexLowerBound.instance)(
        convexLowerBound.params.parse({ ...base, n: 50, instance }),
        seededRandom(1),
      );
      expect(drawn).toMatchObject({ rows: 50, columns: 100 });
      expect(drawn.features).toHaveLength(5000);
      expect(drawn.excessRisk(drawn.optimum)).toBeCloseTo(0, 12);
    }
  });
});
