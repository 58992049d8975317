import {
  BudgetExceeded,
  Corrupt,
  gaussianEvent,
  InvalidParameter,
  type PrivacyEvent,
  sampledEvent,
  Unsupported,
} from '@lethe/core';
import { resolveEvent } from '../events/index.js';
import { sumDown, sumUp } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tcdp } from '../renyi/tcdp.js';
import { approximateFilter, renyiFilter, reviveFilter, zcdpFilter } from './index.js';

const adjacency = 'zero-out';
const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  plain({ kind: 'core/approximate', v: 1, epsilon, delta });
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const concentrated = (rho: number): PrivacyEvent => plain({ kind: 'core/zcdp', v: 1, rho });
const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, { 'zero-out': 1 });
const limit = { epsilon: 1, delta: 1e-6 };
/** Positive numbers of many sizes. */
const sizes = (least: number, most: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 1000, max: 9999 }), fc.integer({ min: least, max: most }))
    .map(([digits, exponent]) => (digits / 1000) * 10 ** exponent);

describe('a filter of ρ', () => {
  it('grants fitting events to the last bit, and refuses others', () => {
    const filter = zcdpFilter({ limit: { rho: 1 }, adjacency });
    for (let i = 0; i < 10; i++) expect(filter.trySpend(concentrated(0.1))).toBe(i < 9);
    expect(filter.trySpend(concentrated(0.0999))).toBe(true);
    expect(filter.granted()).toBe(10);
    const exact = zcdpFilter({ limit: { rho: 1 }, adjacency });
    expect(exact.trySpend(concentrated(0.125), 8)).toBe(true);
    expect(exact.remaining()).toEqual({ rho: 0, failures: 0 });
    expect(exact.trySpend(concentrated(0))).toBe(true);
    expect(exact.trySpend(concentrated(5e-324))).toBe(false);
  });

  it('never passes its limit and never refuses what is within it', () => {
    fc.assert(
      fc.property(
        sizes(-6, 1),
        fc.array(fc.tuple(sizes(-9, 1), fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 60 }),
        (rho, asked) => {
          const filter = zcdpFilter({ limit: { rho }, adjacency });
          const granted: number[] = [];
          for (const [cost, count] of asked) {
            const runs = Array.from({ length: count }, () => cost);
            if (filter.trySpend(concentrated(cost), count)) {
              granted.push(...runs);
              expect(sumUp(granted)).toBeLessThanOrEqual(rho);
              expect(filter.spent().rho).toBeGreaterThanOrEqual(sumDown(granted));
              expect(filter.spent().rho).toBeLessThanOrEqual(sumUp(granted) * (1 + 1e-12));
            } else {
              expect(sumDown([...granted, ...runs])).toBeGreaterThan(rho * (1 - 1e-12));
            }
          }
        },
      ),
    );
  });

  it('turns (ε, δ) into the largest ρ that implies it', () => {
    for (const delta of [1e-100, 1e-6, 0.5, 0.999]) {
      const filter = zcdpFilter({ limit: { epsilon: 1, delta }, adjacency });
      const { rho } = filter.remaining();
      expect(tcdp.epsilon(concentrated(rho), { adjacency, delta }).upper).toBeLessThanOrEqual(1);
      expect(tcdp.epsilon(concentrated(rho * (1 + 1e-6)), { adjacency, delta }).upper).toBeGreaterThan(1);
      expect(filter.limitEvent()).toEqual({ kind: 'core/filtered', v: 1, limit: approximate(1, delta) });
    }
  });

  it('adds failures separately', () => {
    const filter = zcdpFilter({ limit: { rho: 1 }, adjacency, failures: 0.25 });
    const failing = plain({ kind: 'core/failing', v: 1, delta: 0.125, event: gaussian(10) } as PrivacyEvent);
    expect([1, 2, 3].map(() => filter.trySpend(failing))).toEqual([true, true, false]);
    expect(filter.trySpend(gaussian(10))).toBe(true);
    expect(filter.remaining().failures).toBe(0);
    expect(filter.limitEvent()).toEqual({
      kind: 'core/filtered',
      v: 1,
      limit: { kind: 'core/failing', v: 1, delta: 0.25, event: concentrated(1) },
    });
    expect(zcdpFilter({ limit: { rho: 1 }, adjacency }).trySpend(failing)).toBe(false);
  });
});

describe('a filter of Rényi divergences', () => {
  it('uses amplification, and continues while one order can', () => {
    const sampled = sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussian(1));
    const [few, many] = [
      renyiFilter({ limit: { epsilon: 2, delta: 1e-5 }, adjacency, orders: [8] }),
      renyiFilter({ limit: { epsilon: 2, delta: 1e-5 }, adjacency, orders: [3, 8, 100] }),
    ];
    const runs = (filter: typeof few): number => {
      let n = 0;
      while (filter.trySpend(sampled, 10)) n += 10;
      return n;
    };
    expect(runs(few)).toBeGreaterThan(500);
    const most = runs(many);
    expect(most).toBeGreaterThan(400);
    expect(many.remaining().orders.filter(({ divergence }) => divergence > 0)).toHaveLength(1);
    const curve = resolveEvent(sampled, 'rdp', { adjacency });
    expect(many.spent().orders[1].divergence / (most * curve(8))).toBeCloseTo(1, 12);
  });

  it('admits as much Gaussian noise as the filter of ρ by default, up to the fixed order', () => {
    const [renyi, rho] = [renyiFilter({ limit, adjacency }), zcdpFilter({ limit, adjacency })];
    const runs = (filter: { trySpend(event: PrivacyEvent): boolean }): number => {
      let n = 0;
      while (filter.trySpend(gaussian(30))) n++;
      return n;
    };
    const [a, b] = [runs(renyi), runs(rho)];
    expect(Math.abs(a - b)).toBeLessThanOrEqual(1);
    expect(a).toBeGreaterThan(10);
  });

  it('gives each of several orders its part of δ', () => {
    const orders = [2, 8, 32];
    const [all, ...each] = [orders, ...orders.map((order) => [order])].map((some) => {
      const delta = some.length * 1e-6;
      return renyiFilter({ limit: { epsilon: 1, delta }, adjacency, orders: some }).remaining().orders;
    });
    all.forEach(({ divergence }, i) => expect(divergence / each[i][0].divergence).toBeCloseTo(1, 6));
  });

  it('refuses orders that meet no budget', () => {
    expect(() => renyiFilter({ limit: { epsilon: 0.01, delta: 1e-100 }, adjacency, orders: [2, 3] })).toThrow(
      InvalidParameter,
    );
    const mixed = renyiFilter({ limit, adjacency, orders: [1.5, 40] });
    mixed.spend(gaussian(30));
    expect(mixed.remaining().orders.map(({ divergence }) => divergence > 0)).toEqual([false, true]);
  });
});

describe('a filter of (ε, δ)', () => {
  it('is the stopping test of the sparse-gradient method', () => {
    // Calls of (rε, rδ) within (ε/2, δ/2), half of that δ for the calls' own: Σ r² ≤ A* and Σ r ≤ ¼.
    const [epsilon, delta] = [1, 1e-6];
    const spread = Math.log(4 / delta);
    const most = (Math.sqrt(2 * spread) + Math.sqrt(2 * spread + epsilon)) ** -2;
    expect(Math.sqrt(most)).toBeCloseTo(0.089_945_535_213_735_73, 12);
    fc.assert(
      fc.property(fc.array(sizes(-4, -2), { minLength: 5, maxLength: 400 }), (schedule) => {
        const filter = approximateFilter({
          limit: { epsilon: epsilon / 2, delta: delta / 2 },
          adjacency,
          failures: delta / 4,
          rules: ['advanced'],
        });
        let [sum, squares] = [0, 0];
        for (const r of schedule) {
          const [nextSum, nextSquares] = [sum + r, squares + r * r];
          const near = Math.abs(nextSum - 0.25) < 1e-9 || Math.abs(nextSquares / most - 1) < 1e-9;
          const granted = filter.trySpend(approximate(r * epsilon, r * delta));
          if (!near) expect(granted).toBe(nextSum <= 0.25 && nextSquares <= most);
          if (!granted) break;
          [sum, squares] = [nextSum, nextSquares];
        }
      }),
    );
  });

  it('continues while either rule allows it', () => {
    const basic = approximateFilter({ limit, adjacency, rules: ['basic'] });
    const either = approximateFilter({ limit, adjacency });
    for (const filter of [basic, either])
      expect([filter.trySpend(pure(0.75)), filter.trySpend(pure(0.25)), filter.trySpend(pure(1e-9))]).toEqual(
        [true, true, false],
      );
    const advanced = approximateFilter({ limit, adjacency });
    expect(advanced.trySpend(pure(0.001), 20_000)).toBe(true);
    expect(advanced.spent().epsilon).toBeCloseTo(20, 9);
    const { epsilon } = advanced.remaining();
    expect(advanced.trySpend(pure(epsilon * (1 + 1e-9)))).toBe(false);
    expect(advanced.trySpend(pure(epsilon))).toBe(true);
  });

  it('gives no event more than its δ″', () => {
    const filter = approximateFilter({ limit, adjacency, failures: 5e-7 });
    expect([
      filter.trySpend(approximate(0.1, 4e-7)),
      filter.trySpend(approximate(0.1, 2e-7)),
      filter.trySpend(approximate(0.1, 1e-7)),
    ]).toEqual([true, false, true]);
    expect(filter.trySpend(pure(0.1))).toBe(true);
  });
});

describe('δ set aside for failures', () => {
  it.each([
    ['zcdp', (rest: object) => zcdpFilter({ limit, adjacency, ...rest }).remaining()],
    ['renyi', (rest: object) => renyiFilter({ limit, adjacency, orders: [20], ...rest }).remaining()],
    ['approximate', (rest: object) => approximateFilter({ limit, adjacency, ...rest }).remaining()],
  ] as const)('is not spent again: %s', (_name, remaining) => {
    const apart = remaining({ failures: 4e-7 });
    const less = remaining({ limit: { ...limit, delta: limit.delta - 4e-7 } });
    expect({ ...apart, failures: 0 }).toEqual(less);
    expect(apart.failures).toBe(4e-7);
  });
});

describe('every filter', () => {
  const filters = [
    () => zcdpFilter({ limit, adjacency, failures: 1e-7 }),
    () => renyiFilter({ limit, adjacency, failures: 1e-7, orders: [10, 30] }),
    () => approximateFilter({ limit, adjacency, failures: 1e-7 }),
  ];

  it('continues from saved JSON without a difference', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...filters),
        fc.array(
          sizes(-4, -1).map((x) => pure(x)),
          { maxLength: 40 },
        ),
        fc.nat(40),
        (make, events, at) => {
          const whole = make();
          let broken: Pick<ReturnType<typeof reviveFilter>, 'trySpend' | 'save'> = make();
          events.forEach((event, i) => {
            if (i === at) broken = reviveFilter(JSON.parse(JSON.stringify(broken.save())));
            expect(broken.trySpend(event)).toBe(whole.trySpend(event));
          });
          expect(broken.save()).toEqual(whole.save());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('charges nothing for a refused or unsupported event', () => {
    for (const make of filters) {
      const filter = make();
      filter.spend(pure(0.01));
      const before = JSON.stringify([filter.save(), filter.spent(), filter.remaining()]);
      expect(filter.trySpend(pure(100))).toBe(false);
      expect(filter.trySpend(plain({ kind: 'core/unprotected', v: 1 }))).toBe(false);
      expect(() => {
        filter.spend(pure(100), 3);
      }).toThrow(BudgetExceeded);
      expect(() => filter.trySpend(gaussianEvent(1, { 'replace-one': 1 }))).toThrow(Unsupported);
      expect(() => filter.trySpend(plain({ kind: 'acme/unknown', v: 1 }))).toThrow(Unsupported);
      expect(() => filter.trySpend(pure(-1))).toThrow(InvalidParameter);
      for (const count of [0, 0.5, -1, NaN, Infinity])
        expect(() => filter.trySpend(pure(0.01), count)).toThrow(InvalidParameter);
      expect(JSON.stringify([filter.save(), filter.spent(), filter.remaining()])).toBe(before);
    }
  });

  it('cannot be deceived by an event that is changed after it was priced', () => {
    const filter = zcdpFilter({ limit: { rho: 1 }, adjacency });
    const event = Object.freeze({ kind: 'core/gaussian', v: 1, sigma: 10, sensitivity: { 'zero-out': 1 } });
    filter.spend(event);
    expect(() => {
      event.sensitivity['zero-out'] = 5;
    }).toThrow(TypeError);
  });

  it('refuses limits, options and saved states that are not', () => {
    for (const bad of [
      { epsilon: 0, delta: 0.1 },
      { epsilon: 1, delta: 0 },
      { epsilon: 1, delta: 1 },
      { epsilon: NaN, delta: 0.1 },
      { epsilon: 1 },
      null,
    ]) {
      for (const make of [zcdpFilter, renyiFilter, approximateFilter])
        expect(() => make({ limit: bad as never, adjacency })).toThrow(InvalidParameter);
    }
    for (const failures of [-1, 1e-6, NaN])
      for (const make of [zcdpFilter, renyiFilter, approximateFilter])
        expect(() => make({ limit, adjacency, failures })).toThrow(InvalidParameter);
    expect(() => zcdpFilter({ limit, adjacency: 'none' as never })).toThrow(InvalidParameter);
    expect(() => renyiFilter({ limit, adjacency, orders: [1] })).toThrow(InvalidParameter);
    const saved = zcdpFilter({ limit: { rho: 1 }, adjacency }).save();
    for (const bad of [
      null,
      {},
      { ...saved, kind: 'other' },
      { ...saved, meter: { ...saved.meter, totals: [[2, 0]] } },
      { ...saved, meter: { ...saved.meter, totals: [[null, 0]] } },
      {
        ...saved,
        meter: {
          ...saved.meter,
          totals: [
            [0, 0],
            [0, 0],
          ],
        },
      },
      { ...saved, options: { ...saved.options, limit: { rho: -1 } } },
    ]) {
      expect(() => reviveFilter(bad)).toThrow(Corrupt);
    }
  });
});
