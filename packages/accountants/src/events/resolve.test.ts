import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  adjacencies,
  type Adjacency,
  composedEvent,
  filteredEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  renyiEvent,
  repeatedEvent,
  sampledEvent,
  unprotectedEvent,
  type PrivacyEvent,
  type Sensitivity,
  defineEvent,
  type EventKind,
} from '@lethe/core';
import { IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/numerics';
import { characterisationsOf, createResolver, resolveEvent } from './resolve.js';

const sum = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);
const under = (adjacency: Adjacency): { adjacency: Adjacency } => ({ adjacency });
const failure = (run: () => unknown): Unsupported => {
  try {
    run();
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('what is known of one release', () => {
  it('is Gaussian privacy for Gaussian noise, with the sensitivity of the adjacency', () => {
    const { lower, mu, exact } = resolveEvent(gaussianEvent(3, sum), 'gdp', under('replace-one'));
    expect(exact).toBe(true);
    expect(lower).toBeLessThan(2 / 3 + 1e-16);
    expect(mu).toBeGreaterThanOrEqual(2 / 3);
    expect(mu - lower).toBeLessThanOrEqual(2 ** -53);
    expect(resolveEvent(gaussianEvent(4, sum), 'zcdp', under('add-remove'))).toBe(1 / 32);
    expect(resolveEvent(gaussianEvent(4, sum), 'rdp', under('replace-one'))(3)).toBe(3 / 8);
  });

  it('is unsupported under an adjacency without a sensitivity', () => {
    const event = gaussianEvent(1, { 'replace-one': 1 });
    expect(failure(() => resolveEvent(event, 'rdp', under('zero-out'))).message).toContain(
      'no sensitivity under zero-out',
    );
    expect(characterisationsOf(event, under('zero-out'))).toEqual([]);
    expect(characterisationsOf(event, under('replace-one'))).toEqual(['zcdp', 'tcdp', 'rdp', 'gdp', 'pair']);
  });

  it('follows from ε in the valid direction only', () => {
    const event = pure(1);
    expect(resolveEvent(event, 'approximate', under('zero-out'))).toEqual({ epsilon: 1, delta: 0 });
    expect(resolveEvent(event, 'zcdp', under('zero-out'))).toBe(0.5);
    // Φ(−μ/2) = 1/(1 + e) at the corner of the curve.
    expect(resolveEvent(event, 'gdp', under('zero-out')).mu).toBeCloseTo(1.232_035_385, 8);
    expect(resolveEvent(event, 'gdp', under('zero-out'))).toMatchObject({ exact: false, lower: 0 });
    for (const want of ['pure', 'approximate'] as const)
      expect(failure(() => resolveEvent(gaussianEvent(1, sum), want, under('add-remove'))).message).toContain(
        want,
      );
    expect(characterisationsOf(plain({ kind: 'core/zcdp', v: 1, rho: 0.1 }), under('add-remove'))).toEqual([
      'zcdp',
      'tcdp',
      'rdp',
    ]);
    expect(
      characterisationsOf(
        plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 1e-6 }),
        under('add-remove'),
      ),
    ).toEqual(['approximate', 'pair']);
    const allocated = (steps: number): PrivacyEvent =>
      sampledEvent({ kind: 'core/random-allocation', steps }, gaussianEvent(1, sum));
    expect(resolveEvent(allocated(1), 'gdp', under('zero-out'))).toEqual(
      resolveEvent(gaussianEvent(1, sum), 'gdp', under('zero-out')),
    );
    // In one of many steps, and nobody knows in which: less than
    // the event inside, by an amount that nothing here counts.
    expect(resolveEvent(allocated(2), 'gdp', under('zero-out'))).toMatchObject({
      lower: 0,
      exact: false,
      mu: resolveEvent(gaussianEvent(1, sum), 'gdp', under('zero-out')).mu,
    });
    for (const { attained } of resolveEvent(allocated(2), 'pair', under('zero-out')))
      expect(attained).toBe(false);
    const shuffled = plain({ kind: 'core/shuffled', v: 1, epsilon: 1, delta: 0, honestUsers: 9 });
    expect(characterisationsOf(shuffled, under('zero-out'))).toContain('pure');
    expect(characterisationsOf(shuffled, under('add-remove'))).toEqual([]);
  });

  it('is ε²/8 for the exponential mechanism, and Δ/scale for Laplace noise', () => {
    const choice = plain({
      kind: 'core/exponential',
      v: 1,
      epsilon: 2,
      sensitivity: { 'replace-one': 1, 'zero-out': 0.5 },
    });
    expect(resolveEvent(choice, 'pure', under('zero-out'))).toBe(1);
    expect(resolveEvent(choice, 'zcdp', under('replace-one'))).toBe(0.5);
    for (const kind of ['core/laplace', 'core/discrete-laplace'])
      expect(
        resolveEvent(plain({ kind, v: 1, scale: 4, sensitivity: sum }), 'pure', under('replace-one')),
      ).toBe(0.5);
  });

  it('is log(1 + (1 − p)k/p) for randomised response, and 0 under add-remove', () => {
    const response = plain({ kind: 'core/randomized-response', v: 1, p: 0.5, categories: 2 });
    for (const adjacency of ['replace-one', 'zero-out'] as const)
      expect(resolveEvent(response, 'pure', { adjacency })).toBeCloseTo(Math.log(3), 14);
    expect(characterisationsOf(response, under('add-remove'))).toEqual([]);
    expect(resolveEvent(plain({ ...response, p: 1 }), 'pure', under('replace-one'))).toBe(0);
    expect(resolveEvent(plain({ ...response, p: 0 }), 'rdp', under('replace-one'))(2)).toBe(Infinity);
    expect(characterisationsOf(plain({ ...response, p: 1 }), under('add-remove'))).toEqual([]);
  });

  it('is the norm of a column for prefix sums, and ρ only for integer Gaussians', () => {
    const stream = plain({
      kind: 'core/prefix-sum',
      v: 1,
      sigma: 2,
      sensitivity: { 'zero-out': 1 },
      factorisation: 'tree',
      steps: 8,
      participation: { times: 1, gap: 8 },
      columnNorm: 2,
    });
    expect(resolveEvent(stream, 'gdp', under('zero-out'))).toEqual({ lower: 0, mu: 1, exact: false });
    const integer = plain({ kind: 'core/discrete-gaussian', v: 1, sigma: 2, sensitivity: sum });
    expect(resolveEvent(integer, 'zcdp', under('replace-one'))).toBe(0.5);
    expect(characterisationsOf(integer, under('replace-one'))).not.toContain('gdp');
  });

  it('is 0 for a free event, and infinite for an unprotected one', () => {
    for (const adjacency of adjacencies) {
      expect(resolveEvent(freeEvent, 'pure', { adjacency })).toBe(0);
      expect(resolveEvent(freeEvent, 'gdp', { adjacency })).toEqual({ lower: 0, mu: 0, exact: true });
      expect(resolveEvent(unprotectedEvent, 'rdp', { adjacency })(2)).toBe(Infinity);
      expect(resolveEvent(poisson(0.5, unprotectedEvent), 'rdp', { adjacency })(2)).toBe(Infinity);
    }
  });
});

describe('Rényi divergences stated at some orders', () => {
  const two = renyiEvent([
    { order: 8, divergence: 1 },
    { order: 2, divergence: 0.25 },
  ]);

  it('bound the lower orders, and no higher one', () => {
    const curve = resolveEvent(two, 'rdp', under('zero-out'));
    expect([1.5, 2, 2.5, 8].map(curve)).toEqual([0.25, 0.25, 1, 1]);
    expect(curve(8.5)).toBe(Infinity);
    expect(characterisationsOf(two, under('zero-out'))).toEqual(['rdp']);
  });

  it('take the least of what is stated above an order', () => {
    expect(
      resolveEvent(
        renyiEvent([
          { order: 2, divergence: 0.5 },
          { order: 8, divergence: 0.25 },
        ]),
        'rdp',
        under('zero-out'),
      )(1.5),
    ).toBe(0.25);
  });

  it('add up, also as the limit of a filter', () => {
    const curve = resolveEvent(
      composedEvent([filteredEvent(two), filteredEvent(two), gaussianEvent(2, sum)]),
      'rdp',
      under('zero-out'),
    );
    expect(curve(2)).toBe(2 * 0.25 + 2 / 8);
    expect(curve(9)).toBe(Infinity);
  });
});

describe('composition', () => {
  it('adds ε, ρ, divergences and squared μ; parts side by side cost the larger', () => {
    const both = composedEvent([gaussianEvent(4, sum), repeatedEvent(gaussianEvent(2, sum), 3)]);
    const apart = parallelEvent([gaussianEvent(4, sum), gaussianEvent(2, sum)]);
    expect(resolveEvent(both, 'zcdp', under('add-remove'))).toBe(1 / 32 + 3 / 8);
    expect(resolveEvent(both, 'rdp', under('add-remove'))(2)).toBe(1 / 16 + 3 / 4);
    expect(resolveEvent(both, 'gdp', under('add-remove')).mu).toBeCloseTo(Math.sqrt(1 / 16 + 3 / 4), 15);
    expect(resolveEvent(apart, 'gdp', under('add-remove'))).toEqual({ lower: 0.5, mu: 0.5, exact: true });
    expect(
      resolveEvent(composedEvent([pure(1), repeatedEvent(pure(0.5), 4)]), 'pure', under('zero-out')),
    ).toBe(3);
    expect(resolveEvent(parallelEvent([pure(1), pure(3)]), 'pure', under('zero-out'))).toBe(3);
    const mixed = composedEvent([pure(1), gaussianEvent(1, sum)]);
    expect(resolveEvent(mixed, 'gdp', under('zero-out'))).toMatchObject({ exact: false, lower: 1 });
    expect(resolveEvent(mixed, 'tcdp', under('zero-out'))).toEqual({ rho: 1, omega: Infinity });
    expect(
      resolveEvent(
        repeatedEvent(plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 0.25 }), 3),
        'approximate',
        under('zero-out'),
      ),
    ).toEqual({ epsilon: 3, delta: 0.75 });
  });

  it('has at each order the largest cost of its parts', () => {
    const parts = [pure(1), gaussianEvent(3, sum)];
    const curve = resolveEvent(parallelEvent(parts), 'rdp', under('add-remove'));
    for (const alpha of [1.1, 5, 50])
      expect(curve(alpha)).toBe(
        Math.max(...parts.map((part) => resolveEvent(part, 'rdp', under('add-remove'))(alpha))),
      );
  });

  it('costs the same for every nesting and count', () => {
    const leaf = fc.constantFrom(
      gaussianEvent(2, sum),
      pure(0.3),
      poisson(0.1, gaussianEvent(1, sum)),
      plain({ kind: 'core/laplace', v: 1, scale: 3, sensitivity: sum }),
    );
    fc.assert(
      fc.property(
        leaf,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...adjacencies),
        (event, n, adjacency) => {
          const counted = resolveEvent(repeatedEvent(event, n), 'rdp', { adjacency });
          const listed = resolveEvent(composedEvent(Array.from({ length: n }, () => event)), 'rdp', {
            adjacency,
          });
          const nested = resolveEvent(
            composedEvent([repeatedEvent(event, n), freeEvent, parallelEvent([])]),
            'rdp',
            { adjacency },
          );
          for (const alpha of [1.2, 3, 17]) {
            expect(listed(alpha)).toBe(counted(alpha));
            expect(nested(alpha)).toBe(counted(alpha));
          }
        },
      ),
    );
  });

  it('gives the limit of a filter, without a claim that it is attained', () => {
    const filtered = plain({ kind: 'core/filtered', v: 1, limit: gaussianEvent(2, sum) });
    expect(resolveEvent(filtered, 'gdp', under('add-remove'))).toEqual({ lower: 0, mu: 0.5, exact: false });
    expect(resolveEvent(filtered, 'zcdp', under('add-remove'))).toBe(1 / 8);
  });
});

describe('sampling', () => {
  it('needs presence of one record under every adjacency', () => {
    const only = (adjacency: Adjacency): PrivacyEvent => poisson(0.1, gaussianEvent(1, { [adjacency]: 1 }));
    const answered = (inner: Adjacency): Adjacency[] =>
      adjacencies.filter((adjacency) => characterisationsOf(only(inner), { adjacency }).includes('rdp'));
    expect(answered('replace-one')).toEqual([]);
    expect(answered('zero-out')).toEqual(['replace-one', 'zero-out']);
    expect(answered('add-remove')).toEqual(['replace-one', 'add-remove', 'zero-out']);
  });

  it('takes releases from one batch as one Gaussian release', () => {
    const twice = resolveEvent(
      poisson(0.1, repeatedEvent(gaussianEvent(2, sum), 4)),
      'rdp',
      under('add-remove'),
    );
    expect(twice(3)).toBe(resolveEvent(poisson(0.1, gaussianEvent(1, sum)), 'rdp', under('add-remove'))(3));
  });

  it('takes a replaced record for one that is null before one that is absent', () => {
    const of = (sensitivity: Sensitivity): number =>
      resolveEvent(
        poisson(0.1, plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity })),
        'pure',
        under('replace-one'),
      );
    const alone = of({ 'zero-out': 1, 'replace-one': 2 });
    expect(of({ 'zero-out': 1, 'add-remove': 1.5, 'replace-one': 2 })).toBe(alone);
    expect(of({ 'add-remove': 1.5, 'replace-one': 2 })).toBeGreaterThan(alone);
  });

  it('amplifies ε by the known formula, also for events that are only ε-private', () => {
    const event = poisson(0.25, pure(2));
    const amplified = Math.log1p(0.25 * Math.expm1(2));
    expect(resolveEvent(event, 'pure', under('zero-out'))).toBeCloseTo(amplified, 14);
    expect(resolveEvent(event, 'pure', under('replace-one'))).toBeCloseTo(
      amplified - Math.log1p(0.25 * Math.expm1(-2)),
      14,
    );
    expect(resolveEvent(event, 'rdp', under('add-remove'))(2)).toBeLessThanOrEqual(
      resolveEvent(pure(amplified * (1 + 1e-12)), 'rdp', under('add-remove'))(2),
    );
    const { epsilon, delta } = resolveEvent(
      poisson(0.25, plain({ kind: 'core/approximate', v: 1, epsilon: 2, delta: 0.5 })),
      'approximate',
      under('add-remove'),
    );
    expect([epsilon, delta]).toEqual([expect.closeTo(amplified, 14), 0.125]);
  });

  it('refuses what is concentrated but not Gaussian: it is not amplified as a Gaussian is', () => {
    // P = (½, ½), Q = (0.1, 0.9) has ρ = 0.532439; sampled with q = 0.9 its divergence of order 1.5 is
    // 0.67989, that of a Gaussian 0.67717.
    const inner = plain({ kind: 'core/zcdp', v: 1, rho: 0.532_439 });
    for (const adjacency of adjacencies)
      expect(characterisationsOf(poisson(0.9, inner), { adjacency })).toEqual([]);
    expect(
      failure(() =>
        resolveEvent(
          poisson(0.9, plain({ kind: 'core/discrete-gaussian', v: 1, sigma: 1, sensitivity: sum })),
          'rdp',
          under('add-remove'),
        ),
      ).details['path'],
    ).toBe('event');
  });

  it('refuses what a null record takes part in', () => {
    const response = plain({ kind: 'core/randomized-response', v: 1, p: 0.5, categories: 2 });
    for (const inner of [
      response,
      composedEvent([gaussianEvent(1, sum), response]),
      plain({ kind: 'core/shuffled', v: 1, epsilon: 1, delta: 0, honestUsers: 5 }),
    ]) {
      for (const adjacency of adjacencies)
        expect(characterisationsOf(poisson(0.5, inner), { adjacency })).toEqual([]);
    }
  });

  it('of all records is no sampling, and a fixed size reveals their number', () => {
    const inner = gaussianEvent(2, sum);
    const whole = sampledEvent({ kind: 'core/fixed-size', n: 5, size: 5, replacement: false }, inner);
    for (const adjacency of adjacencies)
      expect(resolveEvent(poisson(1, inner), 'gdp', { adjacency })).toEqual(
        resolveEvent(inner, 'gdp', { adjacency }),
      );
    expect(resolveEvent(whole, 'gdp', under('replace-one'))).toEqual({ lower: 1, mu: 1, exact: true });
    expect(characterisationsOf(whole, under('add-remove'))).toEqual([]);
    for (const sampler of [
      { n: 5, size: 4, replacement: false },
      { n: 5, size: 5, replacement: true },
    ]) {
      const drawn = sampledEvent({ kind: 'core/fixed-size', ...sampler }, inner);
      expect(characterisationsOf(drawn, under('replace-one'))).toContain('pair');
      expect(characterisationsOf(drawn, under('add-remove'))).toEqual([]);
    }
  });
});

describe('unresolvable events', () => {
  it('is reported by place and kind, never as a number', () => {
    const unknown = gaussianEvent(1, {});
    const event = composedEvent([
      pure(1),
      parallelEvent([gaussianEvent(1, sum), poisson(0.5, composedEvent([unknown]))]),
    ]);
    const error = failure(() => resolveEvent(event, 'rdp', under('zero-out')));
    expect(error.details).toMatchObject({
      path: 'parts.1.event.parts.1.event.parts.0.event',
      kind: 'core/gaussian',
      adjacency: 'zero-out',
    });
    for (const adjacency of adjacencies) expect(characterisationsOf(unknown, { adjacency })).toEqual([]);
  });

  it('is refused quickly at any nesting', () => {
    let event: PrivacyEvent = plain({ kind: 'core/zcdp', v: 1, rho: 1 });
    for (let depth = 0; depth < 60; depth++) event = poisson(0.5, event);
    for (const adjacency of adjacencies) expect(characterisationsOf(event, { adjacency })).toEqual([]);
  });

  it('is refused when malformed or of an unknown kind or version', () => {
    for (const bad of [
      null,
      3,
      {},
      { kind: 'core/gaussian', v: 1, sigma: NaN, sensitivity: sum },
      { kind: 'core/compose', v: 1 },
      { kind: 'core/pure', v: 1, epsilon: -1 },
    ]) {
      expect(() => resolveEvent(bad as PrivacyEvent, 'rdp', under('zero-out'))).toThrow(InvalidParameter);
    }
    for (const unknown of [
      { kind: 'core/other', v: 1 },
      { kind: 'core/free', v: 2 },
      { kind: 'acme/thing', v: 1 },
    ]) {
      expect(() => resolveEvent(unknown, 'rdp', under('zero-out'))).toThrow(Unsupported);
      expect(() => createResolver()(unknown, 'rdp', 'zero-out')).toThrow(Unsupported);
    }
    expect(() => createResolver()({ kind: 'core/toString', v: 1 }, 'pure', 'zero-out')).toThrow(Unsupported);
    for (const alpha of [1, 0, NaN, Infinity])
      expect(() => resolveEvent(pure(1), 'rdp', under('zero-out'))(alpha)).toThrow(InvalidParameter);
  });
});

describe('kinds of plugins', () => {
  const kind = (characterise: EventKind['characterise']): EventKind =>
    defineEvent({
      name: 'acme/noise',
      summary: 'noise',
      source: { id: 'acme', item: '1' },
      claims: [],
      version: 1,
      characterise,
      schema: z.strictObject({
        kind: z.literal('acme/noise'),
        v: z.literal(1),
        inner: z.looseObject({ kind: z.string(), v: z.int() }).optional(),
      }),
    });
  const event = plain({ kind: 'acme/noise', v: 1 });

  it('are asked for what they know; the rest is derived', () => {
    const kinds = [kind({ tcdp: () => ({ rho: 0.5, omega: 4 }) })];
    const curve = resolveEvent(event, 'rdp', { adjacency: 'zero-out', kinds });
    expect([curve(2), curve(4)]).toEqual([1, Infinity]);
    expect(characterisationsOf(event, { adjacency: 'zero-out', kinds })).toEqual(['tcdp', 'rdp']);
    const own = kind({ pure: () => 1, rdp: () => () => 0.01 });
    expect(resolveEvent(event, 'rdp', { adjacency: 'zero-out', kinds: [own] })(2)).toBe(0.01);
  });

  it('may resolve nested events, and may be unsupported under an adjacency', () => {
    const kinds = [
      kind({
        zcdp: (outer, adjacency, resolve) =>
          resolve((outer as unknown as { inner: PrivacyEvent }).inner, 'zcdp', adjacency),
      }),
    ];
    const outer = plain({ ...event, inner: gaussianEvent(1, { 'zero-out': 1 }) });
    expect(resolveEvent(outer, 'zcdp', { adjacency: 'zero-out', kinds })).toBe(0.5);
    expect(failure(() => resolveEvent(outer, 'zcdp', { adjacency: 'replace-one', kinds })).message).toContain(
      'no sensitivity under replace-one',
    );
  });

  it('may not return something that is no cost', () => {
    const wrong = [
      kind({ pure: () => NaN }),
      kind({ pure: () => -1 }),
      kind({ gdp: () => ({ lower: 0, mu: NaN, exact: false }) }),
      kind({ approximate: () => ({ epsilon: 1, delta: -1 }) }),
    ];
    for (const [i, want] of (['pure', 'pure', 'gdp', 'approximate'] as const).entries()) {
      expect(() => resolveEvent(event, want, { adjacency: 'zero-out', kinds: [wrong[i]] })).toThrow(
        IncompatiblePlugins,
      );
    }
    expect(() =>
      resolveEvent(event, 'rdp', { adjacency: 'zero-out', kinds: [kind({ rdp: () => () => NaN })] })(2),
    ).toThrow(IncompatiblePlugins);
  });

  it('are evaluated once per order', () => {
    let asked = 0;
    const curve = resolveEvent(event, 'rdp', {
      adjacency: 'zero-out',
      kinds: [
        kind({
          rdp: () => (alpha) => {
            asked++;
            return alpha;
          },
        }),
      ],
    });
    expect([curve(2), curve(2), curve(3)]).toEqual([2, 2, 3]);
    expect(asked).toBe(2);
  });
});
