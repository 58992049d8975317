import {
  type Adjacency,
  clippedMeanEvent,
  composedEvent,
  countedEvent,
  failingEvent,
  filteredEvent,
  type FilterMaker,
  freeEvent,
  gaussianEvent,
  InvalidParameter,
  parallelEvent,
  type PrivacyEvent,
  type PrivacyFilter,
  repeatedEvent,
  sampledEvent,
  Unsupported,
  unprotectedEvent,
} from '@lethe/core';
import { resolveEvent } from '../events/index.js';
import { describe, expect, it } from 'vitest';
import {
  accountants,
  basicLimit,
  bestLimit,
  bestOf,
  filterOfSpec,
  gaussianLimit,
  renyiLimit,
  zcdpLimit,
} from '../index.js';

const adjacency: Adjacency = 'zero-out';
const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  plain({ kind: 'core/approximate', v: 1, epsilon, delta });
const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, { 'zero-out': 1 });
const sampled = sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussian(4));
const request = { epsilon: 1, delta: 1e-6, adjacency };

const makers: readonly (readonly [string, FilterMaker])[] = [
  ['renyi', renyiLimit()],
  ['renyi, all failures refused', renyiLimit({ failureShare: 0 })],
  ['renyi, every one of three orders', renyiLimit({ orders: [2, 8, 32, 300] })],
  ['renyi, some one of three orders', renyiLimit({ orders: [2, 8, 32, 300], keeps: 'some' })],
  ['zcdp', zcdpLimit()],
  ['gaussian', gaussianLimit()],
  ['basic', basicLimit()],
  ['best', bestLimit()],
];

describe.each(makers)('the limit of the rule %s', (_name, make) => {
  it.each([
    [0.01, 1e-9],
    [0.1, 1e-12],
    [0.5, 1e-2],
    [1, 1e-5],
    [1.5, 0.1],
    [3, 1e-6],
    [10, 1e-30],
    [40, 1e-5],
  ])('is certified within ε = %f at δ = %f', (epsilon, delta) => {
    const { limit } = make({ epsilon, delta, adjacency });
    const { upper } = bestOf(accountants).epsilon(limit, { adjacency, delta });
    expect(upper).toBeLessThanOrEqual(epsilon);
    // And not much below: little is given away by how it is stated.
    expect(upper).toBeGreaterThan(epsilon * 0.95);
  });

  it('uses the filter of its specification', () => {
    const filter = make(request);
    const again = filterOfSpec(JSON.parse(JSON.stringify(filter.spec)));
    expect([again.rule, again.spec, again.limit]).toEqual([filter.rule, filter.spec, filter.limit]);
    expect(make(request).spec).toEqual(filter.spec);
    for (const event of [pure(0.3), composedEvent([pure(0.01), repeatedEvent(pure(0.02), 7)])])
      expect(again.share(event)).toBe(filter.share(event));
  });

  it('admits what is free, refuses what is unprotected, and is itself admitted once', () => {
    const filter = make(request);
    for (const event of [
      freeEvent,
      composedEvent([]),
      parallelEvent([freeEvent, composedEvent([freeEvent])]),
    ])
      expect([filter.admits(event), filter.share(event)]).toEqual([true, 0]);
    if (filter.rule !== 'basic')
      expect(filter.admits(composedEvent([pure(1e-9), unprotectedEvent]))).toBe(false);
    // What is stated as an (ε, δ) has spent all of δ on its failures.
    if ((filter.spec as { keeps?: string }).keeps === 'some' || filter.rule === 'best') return;
    // Of μ² a budget rounded down is less than a cost rounded up.
    if (filter.rule === 'gaussian') expect(filter.share(filter.limit)).toBeCloseTo(1, 12);
    else expect(filter.admits(filter.limit)).toBe(true);
    expect(filter.admits(composedEvent([filter.limit, pure(1e-6)]))).toBe(false);
  });

  it('counts what is counted, adds what is composed, and takes the largest of what is parallel', () => {
    const filter = make(request);
    const one = pure(0.01);
    expect(filter.share(repeatedEvent(one, 8))).toBeCloseTo(8 * filter.share(one), 12);
    expect(filter.share(composedEvent([one, repeatedEvent(composedEvent([one, one]), 3), one]))).toBeCloseTo(
      filter.share(repeatedEvent(one, 8)),
      12,
    );
    const little = pure(2e-6);
    expect(
      filter.share(
        countedEvent([
          { event: one, count: 1 },
          { event: little, count: 5000 },
        ]),
      ) / filter.share(repeatedEvent(one, 2)),
    ).toBeCloseTo(filter.rule === 'basic' ? 1 : 0.5, 2);
    expect(filter.share(parallelEvent([one, repeatedEvent(one, 8), one]))).toBe(
      filter.share(repeatedEvent(one, 8)),
    );
    expect(filter.share(composedEvent([parallelEvent([one, pure(0.02)]), one]))).toBe(
      filter.share(composedEvent([pure(0.02), one])),
    );
  });

  it('refuses invalid events and counts, and unknown kinds', () => {
    const filter = make(request);
    expect(() => filter.admits(plain({ kind: 'acme/unknown', v: 1 }))).toThrow(Unsupported);
    expect(() => filter.admits(gaussianEvent(1, { 'replace-one': 1 }))).toThrow(Unsupported);
    for (const bad of [
      undefined,
      null,
      {},
      { kind: 'core/compose', v: 1 },
      { kind: 'core/compose', v: 1, parts: [{ event: pure(0.1), count: 0.5 }] },
      { kind: 'core/parallel', v: 1, parts: [pure(-1)] },
      pure(NaN),
    ]) {
      expect(() => filter.admits(bad as never)).toThrow(InvalidParameter);
    }
    let deep: PrivacyEvent = pure(0.1);
    for (let i = 0; i < 1000; i++) deep = composedEvent([deep, deep]);
    expect(() => filter.admits(deep)).toThrow(InvalidParameter);
  });

  it('refuses invalid limits', () => {
    for (const bad of [
      { ...request, epsilon: 0 },
      { ...request, epsilon: NaN },
      { ...request, delta: 1 },
      { ...request, delta: -1 },
      { ...request, adjacency: 'none' },
      undefined,
      null,
      {},
    ])
      expect(() => make(bad as never)).toThrow(InvalidParameter);
  });
});

describe('what a limit says of itself', () => {
  const limits = (make: FilterMaker): PrivacyEvent => make(request).limit;
  it('is the largest value allowed by the rule', () => {
    expect(limits(renyiLimit())).toMatchObject({
      kind: 'core/filtered',
      limit: { kind: 'core/failing', delta: 1e-7, event: { kind: 'core/renyi' } },
    });
    expect(limits(renyiLimit({ failureShare: 0 }))).toMatchObject({ limit: { kind: 'core/renyi' } });
    expect(limits(renyiLimit({ orders: [8, 4], failureShare: 0 }))).toMatchObject({
      limit: { orders: [{ order: 4 }, { order: 8 }] },
    });
    expect(limits(renyiLimit({ orders: [4, 8], keeps: 'some' }))).toEqual(
      filteredEvent(approximate(1, 1e-6)),
    );
    expect(limits(zcdpLimit())).toMatchObject({
      limit: { kind: 'core/failing', event: { kind: 'core/zcdp' } },
    });
    expect(limits(gaussianLimit())).toMatchObject({
      limit: { kind: 'core/failing', event: { kind: 'core/gaussian', sensitivity: { 'zero-out': 1 } } },
    });
    expect(limits(basicLimit())).toEqual(filteredEvent(approximate(1, 1e-6)));
    expect(basicLimit()({ ...request, delta: 0 }).limit).toEqual(filteredEvent(pure(1)));
  });

  it.each([
    ['renyi', renyiLimit()],
    ['zcdp', zcdpLimit()],
    ['gaussian', gaussianLimit()],
  ] as const)(
    'composes with another of its kind: two of (1, 1e-6) are well below ε = 2, by %s',
    (_name, make) => {
      const two = repeatedEvent(limits(make), 2);
      expect(bestOf(accountants).epsilon(two, { adjacency, delta: 1e-6 }).upper).toBeLessThan(1.6);
    },
  );

  it('is certified for a filter that stands among others', () => {
    expect(
      bestOf(accountants).epsilon(composedEvent([limits(renyiLimit()), limits(zcdpLimit()), gaussian(20)]), {
        adjacency,
        delta: 2e-6,
      }).upper,
    ).toBeLessThan(1.6);
  });
});

describe('events within a limit', () => {
  const runs = (filter: PrivacyFilter, event: PrivacyEvent): number => {
    let [low, high] = [0, 1];
    while (filter.admits(repeatedEvent(event, high))) [low, high] = [high, 2 * high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (filter.admits(repeatedEvent(event, middle))) low = middle;
      else high = middle;
    }
    return low;
  };

  it('admits fitting events, to the last bit', () => {
    const rho = resolveEvent(zcdpLimit({ failureShare: 0 })(request).limit, 'zcdp', { adjacency });
    const exact = zcdpLimit({ failureShare: 0 })(request);
    expect([
      exact.admits(plain({ kind: 'core/zcdp', v: 1, rho })),
      exact.share(plain({ kind: 'core/zcdp', v: 1, rho })),
    ]).toEqual([true, 1]);
    expect(
      exact.admits(
        composedEvent([
          plain({ kind: 'core/zcdp', v: 1, rho }),
          plain({ kind: 'core/zcdp', v: 1, rho: 5e-324 }),
        ]),
      ),
    ).toBe(false);
  });

  it('is as much Gaussian noise by one Rényi order as by ρ, and more by μ', () => {
    const [renyi, zcdp, mu] = [renyiLimit(), zcdpLimit(), gaussianLimit()].map((make) =>
      runs(make(request), gaussian(300)),
    );
    expect(Math.abs(renyi / zcdp - 1)).toBeLessThan(1e-3);
    expect(mu).toBeGreaterThan(zcdp);
  });

  it('is sampled noise by Rényi divergences alone', () => {
    expect(runs(renyiLimit()(request), sampled)).toBeGreaterThan(10);
    for (const make of [zcdpLimit(), basicLimit()])
      expect(() => make(request).admits(sampled)).toThrow(Unsupported);
  });

  it('is more of the usual event, where one is given', () => {
    const dpSgd = repeatedEvent(sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussian(0.8)), 10);
    const wide = { ...request, epsilon: 4 };
    const [fitted, usual, best] = [renyiLimit({ usual: dpSgd }), renyiLimit(), bestLimit()].map((make) =>
      runs(make(wide), dpSgd),
    );
    expect(fitted).toBeGreaterThan(1.1 * best);
    expect(best).toBeGreaterThan(2 * usual);
  });

  it('converts Gaussian noise, sampled noise and pure events by the best of several rules', () => {
    const filter = bestLimit()(request);
    expect(filter.admits(pure(1))).toBe(true);
    expect(runs(filter, gaussian(300)) / runs(gaussianLimit()(request), gaussian(300))).toBeGreaterThan(0.8);
    expect(runs(filter, sampled) / runs(renyiLimit()(request), sampled)).toBeGreaterThan(0.8);
    // Each rule by itself has to hold: what one admits is not added to what another does.
    expect(filter.admits(composedEvent([pure(0.9), gaussian(5)]))).toBe(false);
    expect(() => filter.admits(approximate(Infinity, 0))).toThrow(InvalidParameter);
  });

  it('gives each of several orders its part of δ, where one of them suffices', () => {
    const orders = [2, 8, 32];
    const some = renyiLimit({ orders, keeps: 'some', failureShare: 0 })({ ...request, delta: 3e-6 });
    const alone = orders.map((order) => renyiLimit({ orders: [order], failureShare: 0 })(request));
    for (const event of [gaussian(20), pure(0.3), repeatedEvent(sampled, 40)])
      expect(some.share(event) / Math.min(...alone.map((one) => one.share(event)))).toBeCloseTo(1, 6);
  });

  it('keeps every one of several orders, where nothing else is asked for', () => {
    const filter = renyiLimit({ orders: [2, 8, 32], failureShare: 0 })(request);
    const { limit } = filter.limit as unknown as {
      readonly limit: { readonly orders: readonly { readonly order: number; readonly divergence: number }[] };
    };
    for (const event of [pure(0.3), repeatedEvent(sampled, 40)]) {
      const curve = resolveEvent(event, 'rdp', { adjacency });
      const shares = limit.orders.map(({ order, divergence }) => curve(order) / divergence);
      expect(filter.share(event) / Math.max(...shares)).toBeCloseTo(1, 6);
      expect(Math.min(...shares)).toBeLessThan(0.99 * Math.max(...shares));
    }
  });

  it('admits events that may fail, up to the reserved share of δ', () => {
    for (const make of [renyiLimit(), zcdpLimit(), gaussianLimit()]) {
      expect(
        make(request).admits(repeatedEvent(failingEvent(5e-8, clippedMeanEvent(50, adjacency)), 2)),
      ).toBe(true);
      expect(
        make(request).admits(repeatedEvent(failingEvent(5e-8, clippedMeanEvent(50, adjacency)), 3)),
      ).toBe(false);
    }
    expect(basicLimit()(request).admits(approximate(1, 1e-6))).toBe(true);
    expect(basicLimit()({ ...request, delta: 0 }).admits(approximate(0, 1e-300))).toBe(false);
    expect(renyiLimit({ failureShare: 0.5 })(request).admits(approximate(0.1, 5e-7))).toBe(true);
  });

  it('is refused by a rule that cannot meet δ = 0, with the rules that can', () => {
    for (const make of [renyiLimit(), zcdpLimit(), gaussianLimit()])
      expect(() => make({ ...request, delta: 0 })).toThrow(/basicLimit/u);
  });

  it('does not depend on earlier queries to the filter', () => {
    const filter = renyiLimit()(request);
    const first = filter.share(pure(0.5));
    filter.share(composedEvent([pure(3), sampled, gaussian(1)]));
    expect(filter.share(pure(0.5))).toBe(first);
  });
});
