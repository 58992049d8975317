import {
  composedEvent,
  type FilterMaker,
  type PrivacyEvent,
  type PrivacyFilter,
  seededRandom,
  Unsupported,
} from '@lethe/core';
import { auditedPair, knownRatio } from '@lethe/laws';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Chosen,
  type Family,
  families,
  largestSize,
  toldByTwo,
  type Way,
} from '../../../../packages/accountants/test/interaction.js';
import {
  accountants,
  basicLimit,
  bestLimit,
  bestOf,
  gaussianLimit,
  renyiLimit,
  zcdpLimit,
} from '@lethe/accountants';
import { defined } from '@lethe/numerics';

const adjacency = 'zero-out';
const named = (name: string): Family => defined(families.find((family) => family.name === name));
const ways: readonly Way[] = ['with', 'without'];

/** Whether a filter admits an event; events that it cannot account are not admitted. */
const allows =
  (filter: Pick<PrivacyFilter, 'admits'>) =>
  (event: PrivacyEvent): boolean => {
    try {
      return filter.admits(event);
    } catch (error) {
      if (error instanceof Unsupported) return false;
      throw error;
    }
  };

const makers: readonly (readonly [string, FilterMaker])[] = [
  ['renyi', renyiLimit()],
  ['renyi, every one of three orders', renyiLimit({ orders: [2, 6, 20] })],
  ['renyi, some one of three orders', renyiLimit({ orders: [2, 6, 20], keeps: 'some', failureShare: 0.3 })],
  ['renyi, fitted to an event', renyiLimit({ usual: families[families.length - 1].event(1) })],
  ['zcdp', zcdpLimit({ failureShare: 0.5 })],
  ['gaussian', gaussianLimit()],
  ['basic', basicLimit()],
  ['best', bestLimit()],
];

describe.each(makers)(
  'two releases, the second chosen by the answer to the first, under the rule %s',
  (_name, make) => {
    it.each([
      [0.5, 0.01],
      [1, 1e-5],
      [2, 0.1],
    ])('have at most the limit ε = %f, δ = %f', (epsilon, delta) => {
      const filter = make({ epsilon, delta, adjacency });
      const allowed = allows(filter);
      let most = 0;
      fc.assert(
        fc.property(
          fc.constantFrom(...families),
          fc.constantFrom(0.1, 0.4, 0.7, 0.95),
          fc.integer(),
          (family, part, seed) => {
            const largest = largestSize(family, allowed);
            if (largest === undefined) return;
            const first = { family, size: largest * part };
            const seconds = families.flatMap((other): readonly Chosen[] => {
              const size = largestSize(other, (event) =>
                allowed(composedEvent([family.event(first.size), event])),
              );
              return size === undefined
                ? []
                : [
                    { family: other, size },
                    { family: other, size: size / 3 },
                  ];
            });
            for (const way of ways) {
              const greedy = toldByTwo(first, seconds, epsilon, way);
              const random = toldByTwo(
                first,
                seconds,
                epsilon,
                way,
                (answer) => Math.abs(Math.imul(answer + 1, seed | 1)) % (seconds.length + 1),
              );
              most = Math.max(most, greedy);
              expect(greedy).toBeLessThanOrEqual(delta * (1 + 1e-9));
              expect(random).toBeLessThanOrEqual(greedy * (1 + 1e-9));
            }
          },
        ),
        { numRuns: 25 },
      );
      expect(most).toBeGreaterThan(delta * 0.02);
    });
  },
);

/** A rule that is not a filter: the minimum over the accountants. */
const best = bestOf(accountants);
const judgedAfterwards =
  (epsilon: number, delta: number) =>
  (event: PrivacyEvent): boolean =>
    best.epsilon(event, { adjacency, delta }).upper <= epsilon;

/** The largest second releases that a rule admits after the first. */
const secondsAfter = (
  first: Chosen,
  allowed: (event: PrivacyEvent) => boolean,
  names: readonly string[],
): readonly Chosen[] =>
  names.flatMap((name) => {
    const size = largestSize(named(name), (event) =>
      allowed(composedEvent([first.family.event(first.size), event])),
    );
    return size === undefined ? [] : [{ family: named(name), size }];
  });

describe('the minimum over accountants as a limit', () => {
  it.each([
    {
      epsilon: 0.5,
      delta: 0.01,
      name: 'a pure event',
      size: 0.025,
      next: ['Gaussian noise', 'a pure event'],
      times: 1.4,
    },
    {
      epsilon: 1,
      delta: 1e-5,
      name: 'Gaussian noise',
      size: 0.2144,
      next: ['Gaussian noise', 'a pure event', 'failures alone'],
      times: 2.4,
    },
    {
      epsilon: 1,
      delta: 1e-2,
      name: 'Gaussian noise',
      size: 0.4,
      next: ['Gaussian noise', 'a pure event', 'failures alone'],
      times: 1.8,
    },
  ])(
    'is not a filter: at ε = $epsilon it attains more than $times times δ = $delta',
    ({ epsilon, delta, name, size, next, times }) => {
      const first = { family: named(name), size };
      const told = (seconds: readonly Chosen[]): number => toldByTwo(first, seconds, epsilon, 'with') / delta;
      const seconds = secondsAfter(first, judgedAfterwards(epsilon, delta), next);
      expect(seconds).toHaveLength(next.length);
      // Each accountant, chosen in advance, keeps the limit.
      for (const second of seconds) expect(told([second])).toBeLessThanOrEqual(1 + 1e-9);
      expect(told(seconds)).toBeGreaterThan(times);
      expect(
        told(secondsAfter(first, allows(best.filter({ epsilon, delta, adjacency })), next)),
      ).toBeLessThanOrEqual(1);
    },
    60_000,
  );
});

describe('an audit of one interaction', () => {
  const epsilon = 1;
  const delta = 0.01;
  const first: Chosen = { family: named('Gaussian noise'), size: 0.4 };
  const names = ['Gaussian noise', 'a pure event', 'failures alone'];

  /**
   * Whether the limit is rejected at level 1e-7 by runs of Gaussian noise
   * and then of the second event with the largest loss given that answer.
   */
  function rejected(seconds: readonly Chosen[], runs: number): boolean {
    const random = seededRandom('interaction');
    const noise = random.gaussianInto(new Float64Array(4 * runs));
    let drawn = 0;
    const gaussianLoss = (mu: number, present: boolean): number =>
      mu * ((present ? mu : 0) + noise[drawn++]) - (mu * mu) / 2;
    const sticks = seconds.map(({ family, size }) => family.stick(size, 'with'));
    const lossOf = ({ family, size }: Chosen, present: boolean): number => {
      if (family === named('Gaussian noise')) return gaussianLoss(size, present);
      if (family === named('failures alone')) {
        if (random.uniform() >= size) return 0;
        return present ? Infinity : -Infinity;
      }
      return random.uniform() < 1 / (1 + Math.exp(-size)) === present ? size : -size;
    };
    const play = (present: boolean): number => {
      const before = gaussianLoss(first.size, present);
      const told = sticks.map((stick) => stick(epsilon - before));
      return before + lossOf(seconds[told.indexOf(Math.max(...told))], present);
    };
    const audit = auditedPair({
      profile: () => delta,
      epsilons: [epsilon],
      witnesses: [knownRatio((loss) => loss[0])],
    });
    for (let i = 0; i < runs && !audit.rejects(1e-7); i++) audit.push(play(true), play(false));
    return audit.rejects(1e-7);
  }

  it('detects that the minimum over accountants is not a filter, and accepts a filter', () => {
    expect(rejected(secondsAfter(first, judgedAfterwards(epsilon, delta), names), 200_000)).toBe(true);
    expect(
      rejected(secondsAfter(first, allows(gaussianLimit()({ epsilon, delta, adjacency })), names), 200_000),
    ).toBe(false);
  }, 60_000);
});
