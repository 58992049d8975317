import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianEvent, repeatedEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import { defined, InvalidParameter, normalCdf, Unsupported } from '@lethe/numerics';
import { pld } from '../../pld/pld.js';
import { resolveEvent } from '../resolve.js';
import {
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  gaussianMixturesLossDistribution,
  replacedInPoisson,
  type GaussianMixture,
} from './loss-distributions.js';

type Pair = readonly [GaussianMixture, GaussianMixture];
const density = ({ means, probabilities }: GaussianMixture, x: number): number =>
  means.reduce((sum, mean, i) => sum + probabilities[i] * Math.exp(-((x - mean) ** 2) / 2), 0) /
  Math.sqrt(2 * Math.PI);
const above = ({ means, probabilities }: GaussianMixture, x: number): number =>
  means.reduce((sum, mean, i) => sum + probabilities[i] * normalCdf(mean - x), 0);
/** δ at ε: the loss grows with the outcome, and the half-line where it is above ε is found by bisection. */
function delta([first, second]: Pair, epsilon: number): number {
  let [low, high] = [-60, 60];
  for (let i = 0; i < 100; i++) {
    const x = (low + high) / 2;
    if (density(first, x) > Math.exp(epsilon) * density(second, x)) high = x;
    else low = x;
  }
  return above(first, high) - Math.exp(epsilon) * above(second, high);
}

const binomial: readonly Pair[] = [
  [
    { means: [0, 1.2, 2.4], probabilities: [0.64, 0.32, 0.04] },
    { means: [0, -1.2, -2.4], probabilities: [0.64, 0.32, 0.04] },
  ],
  [
    { means: [0.5, 3], probabilities: [0.9, 0.1] },
    { means: [-2, 0.25, 0.5], probabilities: [0.1, 0.7, 0.2] },
  ],
  [
    { means: [4, 6], probabilities: [0.5, 0.5] },
    { means: [-4, -5], probabilities: [0.25, 0.75] },
  ],
];

describe('a mixture against a mixture', () => {
  it('has the profile of its half-lines', () => {
    for (const pair of binomial)
      for (const epsilon of [-2, -0.3, 0, 0.1, 1, 4]) {
        const { lower, upper } = gaussianMixturesLossDistribution(...pair).hockeyStick(epsilon);
        const truth = delta(pair, epsilon);
        expect(lower).toBeLessThanOrEqual(truth + 1e-13);
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-13);
        expect(upper - lower).toBeLessThan(1e-12);
      }
  });

  it('has the masses of its cells, and their difference is the profile', () => {
    const edges = Float64Array.from({ length: 4001 }, (_, i) => (i === 4000 ? Infinity : (i - 2000) / 100));
    for (const pair of binomial) {
      const distribution = gaussianMixturesLossDistribution(...pair);
      const [p, q] = [new Float64Array(4000), new Float64Array(4000)];
      defined(distribution.massesInto)(p, q, edges);
      for (const from of [1700, 2000, 2050, 2300]) {
        let [mine, others] = [0, 0];
        for (let i = from; i < 4000; i++) {
          mine += p[i];
          others += q[i];
        }
        const epsilon = edges[from];
        expect(Math.abs(mine - Math.exp(epsilon) * others - delta(pair, epsilon))).toBeLessThan(1e-11);
        for (let i = from; i < from + 20; i++)
          if (p[i] > 1e-9) {
            expect(Math.log(p[i] / q[i])).toBeGreaterThanOrEqual(edges[i] - 1e-6);
            expect(Math.log(p[i] / q[i])).toBeLessThanOrEqual(edges[i + 1] + 1e-6);
          }
      }
    }
  });

  it('is the known pair where one is known', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.001, 0.1, 0.5, 0.9),
        fc.constantFrom(1e-3, 0.3, 1, 4),
        fc.constantFrom(-1, -0.1, 0, 0.2, 2),
        (rate, mu, epsilon) => {
          const drawn = { means: [0, mu], probabilities: [1 - rate, rate] };
          const away = { means: [0, -mu], probabilities: [1 - rate, rate] };
          const still = { means: [0], probabilities: [1] };
          const cases = [
            [gaussianMixturesLossDistribution(drawn, away), replacedInPoisson(rate, mu)],
            [
              gaussianMixturesLossDistribution(drawn, still),
              gaussianMixtureLossDistribution([0, mu], [1 - rate, rate], 'remove'),
            ],
            [
              gaussianMixturesLossDistribution(still, away),
              gaussianMixtureLossDistribution([0, mu], [1 - rate, rate], 'add'),
            ],
            [
              gaussianMixturesLossDistribution({ means: [mu], probabilities: [1] }, still),
              gaussianLossDistribution(mu),
            ],
          ];
          for (const [one, other] of cases) {
            const [a, b] = [one.hockeyStick(epsilon), other.hockeyStick(epsilon)];
            expect(a.upper).toBeGreaterThanOrEqual(b.lower);
            expect(b.upper).toBeGreaterThanOrEqual(a.lower);
            expect(Math.abs(a.upper - b.upper)).toBeLessThan(1e-12);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('is refused where the means cross, are too far apart, or have no probabilities', () => {
    const of = (first: number[], second: number[]) => () =>
      gaussianMixturesLossDistribution(
        { means: first, probabilities: first.map(() => 1 / first.length) },
        { means: second, probabilities: second.map(() => 1 / second.length) },
      );
    expect(of([0, 1], [0.5, 0])).toThrow(InvalidParameter);
    expect(of([0, NaN], [0])).toThrow(InvalidParameter);
    expect(of([0, 900], [-900, 0])).toThrow(Unsupported);
    expect(() =>
      gaussianMixturesLossDistribution(
        { means: [1], probabilities: [0.5] },
        { means: [0], probabilities: [1] },
      ),
    ).toThrow(/add up to 0\.5/);
    expect(of([0, 25], [-25, 0])).toThrow(Unsupported);
  });
});

describe('the event of two mixtures', () => {
  const [first, second] = binomial[0];
  const event = { kind: 'core/gaussian-mixture-pair', v: 1, sigma: 1, first, second } as PrivacyEvent;
  const asked = { adjacency: 'replace-one' as const, epsilon: 0.5 };

  it('attains its pair in both directions, and two runs that of the product', () => {
    const [pair] = resolveEvent(event, 'pair', asked);
    expect([pair.direction, pair.attained]).toEqual(['symmetric', true]);
    // δ of two runs: the expectation of the profile of one, by quadrature over the other's outcome.
    let twice = 0;
    for (let x = -12; x < 14; x += 0.01) {
      const loss = Math.log(density(first, x) / density(second, x));
      twice += 0.01 * density(first, x) * delta([first, second], asked.epsilon - loss);
    }
    const { lower, upper } = pld.delta(repeatedEvent(event, 2), asked);
    expect(lower).toBeGreaterThan(twice - 1e-4);
    expect(lower).toBeLessThan(twice + 1e-9);
    expect(upper).toBeGreaterThan(twice - 1e-9);
    expect(upper).toBeLessThan(twice + 1e-4);
  });

  it('has one pair for each direction where the sides differ, and no cost where they do not', () => {
    const uneven = { ...event, second: { means: [0], probabilities: [1] } } as PrivacyEvent;
    expect(resolveEvent(uneven, 'pair', asked).map(({ direction }) => direction)).toEqual(['remove', 'add']);
    const still = { means: [1, 1], probabilities: [0.5, 0.5] };
    const none = { ...event, first: still, second: still } as PrivacyEvent;
    expect(pld.delta(none, { ...asked, epsilon: 0 })).toMatchObject({ lower: 0, upper: 0 });
    // Rounded inwards, it is a witness.
    expect(resolveEvent({ ...event, sigma: 1.5 } as PrivacyEvent, 'pair', asked)[0]).toMatchObject({
      attained: false,
      witness: [{ count: 1 }],
    });
  });

  it('is what a group in a Poisson sample costs, each record replaced by another', () => {
    const sensitivity = { 'replace-one': 2.4, 'add-remove': 1.2, 'zero-out': 1.2 };
    const group: PrivacyEvent & { size: number; event: PrivacyEvent } = {
      kind: 'core/group',
      v: 1,
      size: 2,
      event: sampledEvent({ kind: 'core/poisson', rate: 0.2 }, gaussianEvent(1, sensitivity)),
    };
    for (const epsilon of [0, 0.5, 2]) {
      const truth = delta([first, second], epsilon);
      const { lower, upper } = pld.delta(group, { ...asked, epsilon });
      expect(lower).toBeLessThanOrEqual(truth + 1e-13);
      expect(upper).toBeGreaterThanOrEqual(truth - 1e-13);
      expect(upper - lower).toBeLessThan(1e-11);
      expect(upper).toBeLessThan(
        pld.delta({ ...group, event: gaussianEvent(1, sensitivity) } as PrivacyEvent, { ...asked, epsilon })
          .lower,
      );
    }
    // A record that only moves one way has no known neighbours at the pair.
    const oneWay = gaussianEvent(1, { 'replace-one': 1.2, 'zero-out': 1.2 });
    const pairs = resolveEvent(
      { ...group, event: sampledEvent({ kind: 'core/poisson', rate: 0.2 }, oneWay) } as PrivacyEvent,
      'pair',
      asked,
    );
    expect(pairs[0].witness ?? pairs[0].attained).toBe(false);
  });
});
