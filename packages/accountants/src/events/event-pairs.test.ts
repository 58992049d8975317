import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  adjacencies,
  type Adjacency,
  composedEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  unprotectedEvent,
  type PrivacyEvent,
  defineEvent,
  type EventKind,
  type Direction,
  type DominatingPair,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { defined, Unsupported } from '@lethe/numerics';
import {
  approximateLossDistribution,
  boundedRangeLossDistribution,
  discreteGaussianLossDistribution,
  discreteLaplaceLossDistribution,
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  laplaceLossDistribution,
  presentInPoisson,
  pureLossDistribution,
  randomizedResponseLossDistribution,
  replacedInPoisson,
  replacedResponseLossDistribution,
} from './pairs/loss-distributions.js';
import { resolveEvent } from './resolve.js';

const sum = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const laplace = (scale: number): PrivacyEvent =>
  plain({ kind: 'core/laplace', v: 1, scale, sensitivity: sum });
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);
const pairs = (
  event: PrivacyEvent,
  adjacency: Adjacency = 'add-remove',
  kinds: readonly EventKind[] = [],
): readonly DominatingPair[] => resolveEvent(event, 'pair', { adjacency, kinds });

/** One pair of one law, with the profile of the expected law. */
function expectDistribution(
  found: readonly DominatingPair[],
  direction: Direction,
  distribution: PrivacyLossDistribution,
  attained: boolean,
): void {
  const pair = found.find((one) => one.direction === direction);
  expect(pair).toMatchObject({ attained, factors: [{ count: 1 }] });
  for (const epsilon of [-2, -0.3, 0, 0.1, 0.7, 2.5]) {
    const [given, expected] = [
      defined(pair).factors[0].distribution.hockeyStick(epsilon),
      distribution.hockeyStick(epsilon),
    ];
    expect(given.lower).toBeCloseTo(expected.lower, 12);
    expect(given.upper).toBeCloseTo(expected.upper, 12);
  }
}
const expectSymmetric = (
  event: PrivacyEvent,
  distribution: PrivacyLossDistribution,
  attained = true,
  adjacency: Adjacency = 'add-remove',
): void => {
  const found = pairs(event, adjacency);
  expect(found).toHaveLength(1);
  expectDistribution(found, 'symmetric', distribution, attained);
};

describe('the pair of one release', () => {
  it('is that of its noise, at the sensitivity of the adjacency', () => {
    expectSymmetric(gaussianEvent(2, sum), gaussianLossDistribution(0.5));
    expectSymmetric(gaussianEvent(2, sum), gaussianLossDistribution(1), true, 'replace-one');
    expectSymmetric(laplace(4), laplaceLossDistribution(0.25));
    expectSymmetric(laplace(4), laplaceLossDistribution(0.5), true, 'replace-one');
    expectSymmetric(
      plain({ kind: 'core/discrete-laplace', v: 1, scale: 2, sensitivity: { 'add-remove': 3 }, grid: 0.5 }),
      discreteLaplaceLossDistribution(0.25, 6),
    );
    expectSymmetric(
      plain({
        kind: 'core/discrete-gaussian',
        v: 1,
        sigma: 2,
        sensitivity: { 'add-remove': 3 },
        grid: 0.5,
        entries: 1,
      }),
      discreteGaussianLossDistribution(4, 6),
    );
    expectSymmetric(
      plain({ kind: 'core/randomized-response', v: 1, p: 0.3, categories: 4 }),
      randomizedResponseLossDistribution(0.3, 4),
      true,
      'replace-one',
    );
    expectSymmetric(
      plain({ kind: 'core/exponential', v: 1, epsilon: 2, sensitivity: sum }),
      boundedRangeLossDistribution(2),
      false,
    );
  });

  it('is that of what the event states, which some release attains', () => {
    expectSymmetric(pure(0.7), pureLossDistribution(0.7));
    expectSymmetric(
      plain({ kind: 'core/approximate', v: 1, epsilon: 0.7, delta: 0.01 }),
      approximateLossDistribution(0.7, 0.01),
    );
    expectSymmetric(
      plain({ kind: 'core/shuffled', v: 1, epsilon: 0.7, delta: 0.01, honestUsers: 9 }),
      approximateLossDistribution(0.7, 0.01),
      false,
      'zero-out',
    );
    expectSymmetric(unprotectedEvent, approximateLossDistribution(0, 1));
    for (const event of [freeEvent, pure(0), parallelEvent([]), composedEvent([])])
      expect(pairs(event)).toEqual([{ direction: 'symmetric', factors: [], attained: true }]);
  });

  it('is δ = 1 for a shift that overflows relative to its noise', () => {
    const mixture = plain({
      kind: 'core/gaussian-mixture',
      v: 1,
      sigma: 1e-100,
      shifts: [0, 1, 1e300],
      probabilities: [0.5, 0.25, 0.25],
    });
    expectSymmetric(mixture, approximateLossDistribution(0, 1), false);
  });

  it('is that of an answer that is nearly always true, attained only where its loss is a double', () => {
    const answer = (p: number): readonly DominatingPair[] =>
      pairs(plain({ kind: 'core/randomized-response', v: 1, p, categories: 2 }), 'replace-one');
    expect(answer(1e-290)[0]).toMatchObject({ attained: true });
    // The loss is 698 and 714: above it the truth is 0, which a bound of 1 must not be taken for.
    for (const p of [1e-303, 1e-310]) expect(answer(p)[0]).toMatchObject({ attained: false });
    expect(answer(0)[0]).toMatchObject({ attained: true });
  });

  it('has a direction where the two differ', () => {
    const found = pairs(
      plain({
        kind: 'core/gaussian-mixture',
        v: 1,
        sigma: 2,
        shifts: [0, 2, 4],
        probabilities: [0.2, 0.6, 0.2],
      }),
    );
    for (const direction of ['remove', 'add'] as const)
      expectDistribution(
        found,
        direction,
        gaussianMixtureLossDistribution([0, 1, 2], [0.2, 0.6, 0.2], direction),
        false,
      );
    expect(
      pairs(plain({ kind: 'core/gaussian-mixture', v: 1, sigma: 2, shifts: [0], probabilities: [1] })),
    ).toEqual(pairs(freeEvent));
  });

  it('is that of ε when the noise is not known well enough', () => {
    for (const grid of [undefined, 0.4])
      expectSymmetric(
        plain({ kind: 'core/discrete-laplace', v: 1, scale: 4, sensitivity: sum, ...(grid && { grid }) }),
        pureLossDistribution(0.25),
        false,
      );
    for (const more of [{}, { entries: 1 }, { grid: 1, entries: 2 }])
      expect(() =>
        pairs(plain({ kind: 'core/discrete-gaussian', v: 1, sigma: 2, sensitivity: sum, ...more })),
      ).toThrow(Unsupported);
    expect(() => pairs(plain({ kind: 'core/zcdp', v: 1, rho: 1 }))).toThrow(Unsupported);
    expect(() => pairs(plain({ kind: 'core/randomized-response', v: 1, p: 0.3, categories: 4 }))).toThrow(
      Unsupported,
    );
  });

  it('is derived from what a plugin knows of its event, within compositions too', () => {
    const kind = (characterise: EventKind['characterise']): EventKind =>
      defineEvent({
        name: 'acme/noise',
        summary: 'noise',
        source: { id: 'acme', item: '1' },
        claims: [],
        version: 1,
        characterise,
        schema: z.strictObject({ kind: z.literal('acme/noise'), v: z.literal(1) }),
      });
    const event = plain({ kind: 'acme/noise', v: 1 });
    expectDistribution(
      pairs(event, 'zero-out', [kind({ pure: () => 1 })]),
      'symmetric',
      pureLossDistribution(1),
      false,
    );
    expectDistribution(
      pairs(event, 'zero-out', [kind({ pure: () => 1, gdp: () => ({ lower: 0.5, mu: 0.5, exact: true }) })]),
      'symmetric',
      gaussianLossDistribution(0.5),
      true,
    );
    expectDistribution(
      pairs(event, 'zero-out', [kind({ gdp: () => ({ lower: 0, mu: 0.5, exact: false }) })]),
      'symmetric',
      gaussianLossDistribution(0.5),
      false,
    );
    expectDistribution(
      pairs(event, 'zero-out', [kind({ approximate: () => ({ epsilon: 1, delta: 0.1 }) })]),
      'symmetric',
      approximateLossDistribution(1, 0.1),
      false,
    );
    for (const weak of [kind({ zcdp: () => 1 }), kind({ rdp: () => () => 1 })])
      expect(() => pairs(event, 'zero-out', [weak])).toThrow(Unsupported);
    const [composed] = pairs(composedEvent([repeatedEvent(event, 3), gaussianEvent(1, sum)]), 'zero-out', [
      kind({ pure: () => 1 }),
    ]);
    expect(composed).toMatchObject({ direction: 'symmetric', attained: false });
    expect(composed.factors.map(({ count }) => count).toSorted()).toEqual([1, 3]);
  });
});

describe('the pair of several', () => {
  it('is a product, of failures too; a filter attains nothing', () => {
    const [pair] = pairs(composedEvent([repeatedEvent(gaussianEvent(2, sum), 5), laplace(1)]));
    expect(pair).toMatchObject({ direction: 'symmetric', attained: true });
    expect(pair.factors.map(({ count }) => count).toSorted()).toEqual([1, 5]);
    const [failing] = pairs(plain({ kind: 'core/failing', v: 1, delta: 0.25, event: gaussianEvent(2, sum) }));
    expect(failing.factors.map(({ distribution }) => distribution.infinite)).toEqual([0, 0.25]);
    expect(pairs(plain({ kind: 'core/failing', v: 1, delta: 0, event: pure(0) }))).toEqual(pairs(freeEvent));
    expect(pairs(plain({ kind: 'core/filtered', v: 1, limit: gaussianEvent(2, sum) }))[0].attained).toBe(
      false,
    );
  });
});

describe('the pair of a Poisson sample', () => {
  const presence = (
    event: PrivacyEvent,
    distribution: PrivacyLossDistribution,
    rate: number,
    attained: boolean,
    adjacency: Adjacency = 'add-remove',
  ): void => {
    const found = pairs(event, adjacency);
    expect(found.map(({ direction }) => direction)).toEqual(['remove', 'add']);
    for (const direction of ['remove', 'add'] as const)
      expectDistribution(found, direction, presentInPoisson(distribution, rate, direction), attained);
  };

  it('is that of the event inside, present or absent', () => {
    presence(poisson(0.1, gaussianEvent(2, sum)), gaussianLossDistribution(0.5), 0.1, true);
    presence(poisson(0.1, gaussianEvent(2, sum)), gaussianLossDistribution(0.5), 0.1, true, 'zero-out');
    presence(poisson(0.1, laplace(2)), laplaceLossDistribution(0.5), 0.1, true);
    presence(poisson(0.1, pure(1)), pureLossDistribution(1), 0.1, true);
    presence(
      poisson(0.1, plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 0.2 })),
      approximateLossDistribution(1, 0.2),
      0.1,
      true,
    );
    presence(poisson(0.1, unprotectedEvent), approximateLossDistribution(0, 1), 0.1, true);
    expectSymmetric(poisson(1, gaussianEvent(2, sum)), gaussianLossDistribution(0.5));
    expect(pairs(poisson(0.1, freeEvent)).every(({ factors }) => factors.length === 0)).toBe(true);
  });

  it('takes releases from one batch together: Gaussians exactly, others by one bound', () => {
    presence(poisson(0.1, repeatedEvent(gaussianEvent(4, sum), 4)), gaussianLossDistribution(0.5), 0.1, true);
    presence(
      poisson(0.1, composedEvent([pure(1), gaussianEvent(2, sum)])),
      gaussianLossDistribution(
        resolveEvent(composedEvent([pure(1), gaussianEvent(2, sum)]), 'gdp', { adjacency: 'add-remove' }).mu,
      ),
      0.1,
      false,
    );
    const approximate = plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 0.1 });
    presence(poisson(0.1, repeatedEvent(approximate, 2)), approximateLossDistribution(2, 0.2), 0.1, false);
    for (const adjacency of adjacencies)
      expect(() => pairs(poisson(0.1, plain({ kind: 'core/zcdp', v: 1, rho: 1 })), adjacency)).toThrow(
        Unsupported,
      );
    expect(() =>
      pairs(poisson(0.1, plain({ kind: 'core/shuffled-local', v: 1, epsilon: 1, users: 100 })), 'zero-out'),
    ).toThrow(Unsupported);
  });

  it('is that of two presences where a record is replaced, attained where they may be opposite', () => {
    expectSymmetric(poisson(0.1, gaussianEvent(2, sum)), replacedInPoisson(0.1, 0.5), true, 'replace-one');
    expectSymmetric(
      poisson(0.1, gaussianEvent(2, { 'zero-out': 1 })),
      replacedInPoisson(0.1, 0.5),
      false,
      'replace-one',
    );
    expectSymmetric(
      poisson(0.1, gaussianEvent(2, { 'zero-out': 1, 'replace-one': 1.5 })),
      replacedInPoisson(0.1, 0.5),
      false,
      'replace-one',
    );
    expectSymmetric(
      poisson(0.1, laplace(2)),
      replacedResponseLossDistribution(0.1, 0.5),
      false,
      'replace-one',
    );
    expectSymmetric(poisson(0.1, unprotectedEvent), approximateLossDistribution(0, 0.1), true, 'replace-one');
    expect(() => pairs(poisson(0.1, gaussianEvent(2, { 'replace-one': 1 })), 'replace-one')).toThrow(
      Unsupported,
    );
  });
});
