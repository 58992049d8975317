import {
  type Accountant,
  adjacencies,
  type Adjacency,
  composedEvent,
  type Interval,
  parallelEvent,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
  Unsupported,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountants } from '../src/index.js';
import {
  approximate,
  concentrated,
  exponential,
  failing,
  gaussian,
  laplace,
  plain,
  poisson,
  pure,
  response,
} from './events.js';
import { inputs } from './effort.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.round(low * 20), max: Math.round(high * 20) }).map((k) => 10 ** (k / 20));
const discrete = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const noise = fc.oneof(
  tenTo(-0.3, 2).map(gaussian),
  tenTo(-0.3, 1.5).map(laplace),
  tenTo(-0.3, 1).map((sigma) =>
    plain({ kind: 'core/discrete-gaussian', v: 1, sigma, sensitivity: discrete, entries: 1 }),
  ),
  tenTo(-0.3, 1).map((scale) => plain({ kind: 'core/discrete-laplace', v: 1, scale, sensitivity: discrete })),
);
const leaf = fc.oneof(
  noise,
  tenTo(-3, 0.3).map(pure),
  tenTo(-4, 0).map(concentrated),
  tenTo(-2, 0.3).map(exponential),
  fc
    .tuple(fc.constantFrom(0.2, 0.5, 0.9), fc.constantFrom(2, 3, 10))
    .map(([p, categories]) => response(p, categories)),
  fc.tuple(tenTo(-2, -0.1), noise).map(([rate, event]) => poisson(rate, event)),
  fc.tuple(tenTo(-2, 0), tenTo(-9, -3)).map(([epsilon, delta]) => approximate(epsilon, delta)),
);
const amplified = fc.oneof(
  fc
    .tuple(fc.constantFrom(10, 1000), fc.constantFrom(0.1, 0.5), fc.boolean(), noise)
    .map(([n, part, replacement, event]) =>
      sampledEvent({ kind: 'core/fixed-size', n, size: Math.round(n * part), replacement }, event),
    ),
  fc
    .tuple(fc.constantFrom(2, 10), fc.constantFrom(1, 2), noise)
    .map(([steps, times, event]) => sampledEvent({ kind: 'core/random-allocation', steps, times }, event)),
  fc
    .tuple(fc.constantFrom(2, 5), leaf)
    .map(([size, event]) => plain({ kind: 'core/group', v: 1, size, event })),
  fc
    .tuple(noise, fc.constantFrom(0.1, 0.5))
    .map(([base, stopProbability]) =>
      plain({ kind: 'core/selection', v: 1, base, stopProbability, cap: 100 }),
    ),
  fc
    .tuple(tenTo(-0.5, 0.5), fc.constantFrom(100, 10_000))
    .map(([epsilon, users]) => plain({ kind: 'core/shuffled-local', v: 1, epsilon, users })),
);
const event: fc.Arbitrary<PrivacyEvent> = fc.oneof(
  leaf,
  amplified,
  fc.tuple(leaf, fc.constantFrom(2, 10, 100, 1000)).map(([e, n]) => repeatedEvent(e, n)),
  fc
    .tuple(fc.array(leaf, { minLength: 2, maxLength: 3 }), fc.constantFrom(1, 5, 50))
    .map(([parts, n]) => repeatedEvent(composedEvent(parts), n)),
  fc.array(leaf, { minLength: 2, maxLength: 3 }).map(parallelEvent),
  fc.tuple(tenTo(-6, -2), leaf).map(([delta, e]) => failing(delta, e)),
);

/** Rounding of two computations of one number. */
const apart = 1e-9;

/** What each accountant says, by name; without those that refuse, or that only estimate. */
function answers(ask: (accountant: Accountant) => Interval): readonly (readonly [string, Interval])[] {
  return accountants.flatMap((accountant) => {
    try {
      const answer = ask(accountant);
      return answer.certificate === 'estimate' ? [] : [[accountant.name, answer] as const];
    } catch (error) {
      if (error instanceof Unsupported) return [];
      throw error;
    }
  });
}

/**
 * The two that contradict each other, if any: one says that
 * some neighbours come to more than the other allows.
 */
function contradiction(all: readonly (readonly [string, Interval])[]): string | undefined {
  for (const [low, { lower }] of all)
    for (const [high, { upper }] of all) {
      if (lower > upper * (1 + apart) + apart * 1e-3)
        return `${low} says at least ${lower}, ${high} at most ${upper}`;
    }
  return undefined;
}

describe('all accountants', () => {
  it('would be seen to contradict one another', () => {
    const interval = (lower: number, upper: number): Interval => ({
      lower,
      upper,
      certificate: 'certified',
      method: 'test',
      assumptions: [],
    });
    expect(
      contradiction([
        ['a', interval(1, 2)],
        ['b', interval(2, 3)],
        ['c', interval(0, 5)],
      ]),
    ).toBeUndefined();
    expect(
      contradiction([
        ['a', interval(1, 2)],
        ['b', interval(2.001, 3)],
      ]),
    ).toBe('b says at least 2.001, a at most 2');
  });

  it('agree: their intervals for one ε or δ intersect', () => {
    fc.assert(
      fc.property(
        event,
        fc.constantFrom<Adjacency>(...adjacencies),
        tenTo(-10, -0.5),
        tenTo(-1, 1),
        (e, adjacency, delta, epsilon) => {
          expect(
            contradiction(answers((accountant) => accountant.epsilon(e, { adjacency, delta }))),
          ).toBeUndefined();
          const slack = answers((accountant) => accountant.delta(e, { adjacency, epsilon })).map(
            ([name, { lower, upper, ...rest }]) =>
              [name, { ...rest, lower: lower * (1 - 1e-7), upper: upper * (1 + 1e-7) }] as const,
          );
          expect(
            contradiction(
              slack.map(([name, interval]) => [
                name,
                { ...interval, lower: Math.max(0, interval.lower - 1e-15) },
              ]),
            ),
          ).toBeUndefined();
        },
      ),
      { numRuns: inputs(120) },
    );
  });

  it('agree on exact and sharp cases: Gaussian noise, pure privacy and randomised responses', () => {
    for (const [e, adjacency] of [
      [repeatedEvent(gaussian(10), 100), 'add-remove'],
      [repeatedEvent(pure(0.1), 50), 'zero-out'],
      [repeatedEvent(response(0.5, 2), 20), 'replace-one'],
      [repeatedEvent(laplace(10), 50), 'add-remove'],
      [repeatedEvent(poisson(0.1, gaussian(2)), 100), 'replace-one'],
    ] as const) {
      for (const delta of [1e-3, 1e-6]) {
        const all = answers((accountant) => accountant.epsilon(e, { adjacency, delta }));
        expect(all.length).toBeGreaterThan(0);
        expect(contradiction(all)).toBeUndefined();
      }
    }
  });
});
