import { describe, expect, it } from 'vitest';
import { exactMean } from '../../test/evidence.js';
import {
  atomWitness,
  type AuditedPair,
  auditedPair,
  bet,
  boundedMean,
  type EProcess,
  fedBy,
  heavyMean,
  histogramWitness,
  hockeyStick,
  likelihoodRatio,
  mixture,
  noiseDistribution,
  nonNegativeMean,
  vectorMean,
  wealth,
} from './index.js';

// For a distribution with finitely many values the expected wealth is
// a finite sum. On the boundary of the hypothesis it is exactly 1.
const coin = [
  [0.5, [1]],
  [0.5, [-1]],
] as const;
/** Draws of two Bernoulli variables, 0.6 and 0.4: `ln(1.5)`-private, with equality. */
const response = [
  [0.24, [1, 1]],
  [0.36, [1, 0]],
  [0.16, [0, 1]],
  [0.24, [0, 0]],
] as const;
const skewed = [
  [0.75, [-1]],
  [0.25, [3]],
] as const;

describe('expected wealth is 1 on the boundary of the hypothesis', () => {
  it('bet', () => {
    expect(exactMean(() => bet({ largestLoss: 1 }), coin, 12)).toBeCloseTo(1, 12);
    expect(exactMean(() => bet({ largestLoss: 1, cap: 0.99 }), skewed, 12)).toBeCloseTo(1, 12);
  });

  it('bounded mean', () =>
    expect(
      exactMean(
        () => boundedMean({ atMost: 5, lowest: 4 }),
        skewed.map(([p, [z]]) => [p, [z + 5]] as const),
        10,
      ),
    ).toBeCloseTo(1, 12));

  it('non-negative mean', () => {
    expect(
      exactMean(
        () => nonNegativeMean({ atMost: 0.5 }),
        [
          [0.75, [0]],
          [0.25, [2]],
        ],
        10,
      ),
    ).toBeCloseTo(1, 12);
    expect(exactMean(() => nonNegativeMean({ atMost: 0 }), [[1, [0]]], 3)).toBe(1);
  });

  it('vector mean', () => {
    const outcomes = [
      [0.25, [[4, 1]]],
      [0.25, [[1, 2]]],
      [0.25, [[1, 0]]],
      [0.25, [[2, 1]]],
    ] as const;
    expect(exactMean(() => vectorMean({ mean: [2, 1], radius: 2, explore: 1 }), outcomes, 6)).toBeCloseTo(
      1,
      12,
    );
    const off = outcomes.map(([p, [[x, y]]]) => [p, [[x + 0.3, y - 0.4]]] as const);
    expect(
      exactMean(() => vectorMean({ mean: [2, 1], radius: 2.5, bias: 0.5, explore: 1 }), off, 6),
    ).toBeLessThanOrEqual(1);
  });

  it('hockey stick: randomised response, and a witness between 0 and 1', () => {
    expect(
      exactMean(() => hockeyStick({ epsilon: Math.log(1.2), delta: 0.6 - 1.2 * 0.4 }), response, 6),
    ).toBeCloseTo(1, 12);
    const lukewarm = response.map(([p, [x, y]]) => [p, [x / 2, y / 2]] as const);
    expect(
      exactMean(() => hockeyStick({ epsilon: Math.log(1.2), delta: 0.3 - 1.2 * 0.2 }), lukewarm, 6),
    ).toBeCloseTo(1, 12);
  });

  it('likelihood ratio, and mixtures', () => {
    const tilt =
      (q: number): ((x: number) => number) =>
      (x) =>
        Math.log(x > 0 ? 2 * q : 2 - 2 * q);
    expect(exactMean(() => likelihoodRatio(tilt(0.8)), coin, 10)).toBeCloseTo(1, 12);
    expect(
      exactMean(
        () =>
          mixture(
            [likelihoodRatio(tilt(0.8)), likelihoodRatio(tilt(0)), bet({ largestLoss: 1 })],
            [3, 1, 0.5],
          ),
        coin,
        10,
      ),
    ).toBeCloseTo(1, 12);
  });

  it('noise distribution with atoms', () => {
    const cdf = (x: number): number => {
      if (x < -1) return 0;
      if (x < 0) return 0.25;
      return x < 2 ? 0.75 : 1;
    };
    const mean = exactMean(
      () => noiseDistribution({ cdf }),
      [
        [0.25, [-1]],
        [0.5, [0]],
        [0.25, [2]],
      ],
      6,
    );
    expect(mean).toBeLessThanOrEqual(1);
    expect(mean).toBeGreaterThan(0.1);
  });
});

describe('expected wealth is at most 1', () => {
  it.each([1.2, 1.5, 2])('heavy mean of order %f, on distributions with exactly that moment', (order) => {
    for (const size of [0.01, 1, 3, 50]) {
      const moment = size ** order;
      const options = { equals: 2, order, moment, horizon: 20, alpha: 0.01 };
      expect(
        exactMean(
          () => heavyMean(options),
          coin.map(([p, [z]]) => [p, [2 + z * size]] as const),
          8,
        ),
      ).toBeLessThanOrEqual(1);
      const lopsided = 0.75 * 1 + 0.25 * 3 ** order;
      expect(
        exactMean(
          () => heavyMean({ ...options, moment: lopsided }),
          skewed.map(([p, [z]]) => [p, [2 + z]] as const),
          8,
        ),
      ).toBeLessThanOrEqual(1);
    }
  });

  const profile = (epsilon: number): number => Math.max(0, 0.6 - Math.exp(epsilon) * 0.4);
  it.each([
    ['histogram', () => histogramWitness({ bins: 2, warmUp: 1 })],
    ['atoms', () => atomWitness()],
    [
      'atoms, else histogram',
      () => atomWitness({ memory: 1, otherwise: histogramWitness({ bins: 2, warmUp: 1 }) }),
    ],
  ] as const)('audited pair that learns: %s', (_, witness) => {
    const make = (): AuditedPair =>
      auditedPair({ profile, epsilons: [0, 0.2, Math.log(1.5)], witnesses: [witness()] });
    expect(exactMean(make, response, 5)).toBeLessThanOrEqual(1 + 1e-12);
    expect(exactMean(make, response, 5, ({ peak }) => peak)).toBeGreaterThan(0);
  });
});

describe('these sums detect mistakes', () => {
  it('a bet that depends on its own payoff', () => {
    const peeking = (): EProcess => wealth((z: number) => Math.log1p(0.5 * Math.sign(z) * z));
    expect(exactMean(peeking, coin, 5)).toBeGreaterThan(1.1);
  });

  it('a largest loss understated by clipping', () =>
    expect(
      exactMean(
        () => fedBy(bet({ largestLoss: 1 }), (z: number) => Math.max(z, -1)),
        coin.map(([p, [z]]) => [p, [1.2 * z]] as const),
        10,
      ),
    ).toBeGreaterThan(1.05));

  it('a mean just above the bound', () =>
    expect(
      exactMean(
        () => nonNegativeMean({ atMost: 0.99 }),
        [
          [0.5, [0]],
          [0.5, [2]],
        ],
        10,
      ),
    ).toBeGreaterThan(1.001));

  it('an average of peaks', () => {
    let parts: EProcess[] = [];
    const make = (): EProcess => {
      parts = [1, -1].map((side) => fedBy(bet({ largestLoss: 1 }), (z: number) => side * z));
      return mixture(parts);
    };
    expect(exactMean(make, coin, 10)).toBeCloseTo(1, 12);
    expect(
      exactMean(make, coin, 10, () => parts.reduce((sum, { peak }) => sum + Math.exp(peak), 0) / 2),
    ).toBeGreaterThan(1.3);
  });
});
