import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convexLowerBound } from './convex-lower-bound.js';

type Given = Parameters<typeof convexLowerBound.params.parse>[0] & object;
const base = { n: 10_000, dimension: 100, rho: 0.5, radius: 2, momentOrder: 4, moment: 3, secondMoment: 1.5 };
const evaluate = (given: Given) => convexLowerBound.evaluate(convexLowerBound.params.parse(given));
const shape = (given: Partial<typeof base> = {}) => evaluate({ ...base, ...given, constants: 'hidden' });

const anyShape = fc.record({
  n: fc.integer({ min: 1, max: 6 }).map((e) => 10 ** e), dimension: fc.integer({ min: 40, max: 2000 }), rho: fc.constantFrom(1e-3, 0.1, 1, 30),
  radius: fc.constantFrom(0.1, 1, 20), momentOrder: fc.constantFrom(2, 2.5, 4, 16), moment: fc.constantFrom(0.5, 3, 100),
}).map((p) => ({ ...p, secondMoment: p.moment / 2 }));

describe('convexLowerBound', () => {
  it('is the formula, term by term', () => {
    const { value, explicit, terms } = shape();
    const cost = (10 / (Math.SQRT1_2 * 10_000)) ** 0.75;
    expect(terms['nonPrivate']).toBeCloseTo(2 * 1.5 / 100, 12);
    expect(terms['private']).toBeCloseTo(2 * 3 * cost, 12);
    expect(value).toBeCloseTo(0.03 + 6 * cost, 12);
    expect(explicit).toBe(false);
  });

  it('proves only the non-private term, with its constant, whatever the privacy', () => {
    fc.assert(fc.property(anyShape, (given) => {
      const { value, explicit, terms } = evaluate(given);
      expect(explicit).toBe(true);
      expect(value / ((4.4e-4 * given.radius * given.secondMoment) / Math.sqrt(given.n))).toBeCloseTo(1, 12);
      expect(terms['private']).toBe(0);
      expect(evaluate({ ...given, rho: 1e-9 }).value).toBe(value);
      expect(value).toBeLessThan(shape(given).value);
    }));
  });

  it('scales with the radius and with the moments together', () => {
    fc.assert(fc.property(anyShape, fc.constantFrom(0.01, 3, 1e6), (given, factor) => {
      const { value } = shape(given);
      expect(shape({ ...given, radius: given.radius * factor }).value / (factor * value)).toBeCloseTo(1, 10);
      expect(shape({ ...given, moment: given.moment * factor, secondMoment: given.secondMoment * factor }).value / (factor * value)).toBeCloseTo(1, 10);
    }));
  });

  it('falls with records and with privacy lost, rises with dimension', () => {
    fc.assert(fc.property(anyShape, (given) => {
      const { value } = shape(given);
      expect(shape({ ...given, n: 4 * given.n }).value).toBeLessThan(value);
      expect(shape({ ...given, rho: given.rho * 1.2 }).value).toBeLessThanOrEqual(value);
      expect(shape({ ...given, dimension: given.dimension + 100 }).value).toBeGreaterThanOrEqual(value);
    }));
  });

  it('saturates at D(r₂/√n + r_k) where privacy allows nothing to be learned', () => {
    expect(shape({ rho: 1e-12 }).value).toBeCloseTo(2 * (1.5 / 100 + 3), 12);
  });

  it('approaches the rate of bounded gradients for large orders', () => {
    expect(shape({ momentOrder: 1e6 }).terms['private']! / (2 * 3 * (10 / (Math.SQRT1_2 * 10_000)))).toBeCloseTo(1, 4);
  });

  it('takes r₂ to be r_k when it is not given', () => {
    const { secondMoment: _, ...rest } = base;
    expect(evaluate({ ...rest, constants: 'hidden' }).terms['nonPrivate']).toBeCloseTo((2 * 3) / 100, 12);
  });

  it('refuses a problem outside the regime, unless the shape alone is wanted', () => {
    for (const outside of [{ dimension: 39 }, { rho: 101 }]) {
      expect(() => shape(outside)).toThrow(InvalidParameter);
      expect(() => evaluate({ ...base, ...outside })).toThrow(InvalidParameter);
      expect(evaluate({ ...base, ...outside, constants: 'hidden', regime: 'ignored' })).toMatchObject({ explicit: false });
    }
    expect(shape({ dimension: 40 }).value).toBeGreaterThan(0);
  });

  it('refuses parameters that contradict each other or the bound', () => {
    const parse = (given: object) => convexLowerBound.params.safeParse({ ...base, ...given }).success;
    expect(parse({})).toBe(true);
    for (const bad of [{ regime: 'ignored' }, { secondMoment: 3.1 }, { momentOrder: 1.9 }, { rho: 0 }, { n: 0 }, { n: 1.5 }, { moment: Number.NaN }, { radius: Infinity }, { coupling: 2 }, { unknown: 1 }]) {
      expect(parse(bad), JSON.stringify(bad)).toBe(false);
    }
  });

  it('draws the instance it is asked for, of the declared shape', () => {
    for (const instance of ['non-private', 'private'] as const) {
      const drawn = convexLowerBound.instance!(convexLowerBound.params.parse({ ...base, n: 50, instance }), seededRandom(1));
      expect(drawn).toMatchObject({ rows: 50, columns: 100 });
      expect(drawn.features).toHaveLength(5000);
      expect(drawn.excessRisk(drawn.optimum)).toBeCloseTo(0, 12);
    }
  });
});
