import { defined, normalCdf } from '@lethe/numerics';
import { type RandomSource } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussians, laplaces, rejections, type Trial } from '../../test/evidence.js';
import { binomialAtLeast } from '../special/index.js';
import {
  atomWitness,
  auditedPair,
  bet,
  boundedMean,
  heavyMean,
  histogramWitness,
  hockeyStick,
  learnedWitness,
  likelihoodRatio,
  mixture,
  noiseDistribution,
  nonNegativeMean,
  type Process,
  usualWitnesses,
  vectorMean,
} from './index.js';

const alpha = 0.01;
const count = 1000;
/** Observations of one process; more at night. */
const steps = process.env['LETHE_EFFORT'] === 'full' ? 2000 : 400;
/** More false alarms than this have probability below 1e-9 at a true level of `alpha`. */
const tooMany = defined(
  Array.from({ length: count }, (_, alarms) => alarms).find(
    (alarms) => binomialAtLeast(alarms, count, alpha) < 1e-9,
  ),
);

const one = (next: () => number) => (): [number] => [next()];
const laplaceProfile = (epsilon: number): number => Math.max(0, 1 - Math.exp((epsilon - 1) / 2));
const gaussianProfile =
  (mu: number) =>
  (epsilon: number): number =>
    normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
const shiftedLaplace = (random: RandomSource) => {
  const next = laplaces(random);
  return (): [number, number] => [next() + 1, next()];
};
const response = Math.E / (1 + Math.E);
const scales = [0.5, 0.7, 0.8, 0.9, 0.95, 1.1, 1.5];

// Each on the boundary of its hypothesis, where false alarms are most likely.
const nulls: Record<
  string,
  | Trial<never[]>
  | Trial<[number]>
  | Trial<[number, number]>
  | Trial<[ArrayLike<number>]>
  | Trial<[ArrayLike<number>, ArrayLike<number>]>
> = {
  'bet: skewed payoffs': {
    make: () => bet({ largestLoss: 1 }),
    draw: (random) => (): [number] => [random.exponential() - 1],
  },
  'bounded mean: a coin': {
    make: () => boundedMean({ atMost: 0, lowest: -1 }),
    draw: (random) => (): [number] => [(random.bits32() % 2) * 2 - 1],
  },
  'non-negative mean: log-normal': {
    make: () => nonNegativeMean({ atMost: 1 }),
    draw: (random) => {
      const next = gaussians(random);
      return one(() => Math.exp(next() - 0.5));
    },
  },
  'non-negative mean: variance': {
    make: () => nonNegativeMean({ atMost: 1 }),
    draw: (random) => {
      const next = gaussians(random);
      return one(() => next() ** 2);
    },
  },
  'vector mean: a cube': {
    make: () => vectorMean({ mean: new Float64Array(4), radius: 2, explore: 50 }),
    draw: (random) => (): [ArrayLike<number>] => [Array.from({ length: 4 }, () => 2 * random.uniform() - 1)],
  },
  'heavy mean: Pareto without a variance': {
    make: () => heavyMean({ equals: 0, order: 1.5, moment: 4, horizon: steps, alpha }),
    draw: (random) => one(() => ((random.bits32() % 2) * 2 - 1) / Math.sqrt(random.uniform())),
  },
  'heavy mean: Gaussian': {
    make: () => heavyMean({ equals: 0, order: 2, moment: 1, horizon: steps, alpha }),
    draw: (random) => one(gaussians(random)),
  },
  'hockey stick: Laplace': {
    make: () => hockeyStick({ epsilon: 0.5, delta: laplaceProfile(0.5) }),
    draw: (random) => {
      const next = shiftedLaplace(random);
      return (): [number, number] => {
        const [x, y] = next();
        return [Number(x > 0.75), Number(y > 0.75)];
      };
    },
  },
  'audited pair: Laplace, learned': {
    make: () =>
      auditedPair({
        profile: laplaceProfile,
        epsilons: [0.01, 0.5],
        witnesses: [histogramWitness({ bins: 20, warmUp: 200 })],
      }),
    draw: shiftedLaplace,
  },
  'audited pair: Gaussian, all witnesses': {
    make: () => auditedPair({ profile: gaussianProfile(1), epsilons: [0.1], witnesses: usualWitnesses(1) }),
    draw: (random) => {
      const next = gaussians(random);
      return (): [number, number] => [next() + 1, next()];
    },
  },
  'audited pair: randomised response, atoms': {
    make: () =>
      auditedPair({
        profile: (epsilon) => Math.max(0, response - Math.exp(epsilon) * (1 - response)),
        epsilons: [0.5, 1],
        witnesses: [atomWitness()],
      }),
    draw: (random) => (): [number, number] => [
      Number(random.uniform() < response),
      Number(random.uniform() > response),
    ],
  },
  'audited pair: two dimensions, learned direction': {
    make: () =>
      auditedPair({
        profile: gaussianProfile(1),
        epsilons: [0.1],
        witnesses: [learnedWitness({ dimension: 2, train: 200, warmUp: 200, bins: 10 })],
      }),
    draw: (random) => {
      const next = gaussians(random);
      return (): [ArrayLike<number>, ArrayLike<number>] => [
        [next() + Math.SQRT1_2, next() - Math.SQRT1_2],
        [next(), next()],
      ];
    },
  },
  'likelihood ratio: scales of a Gaussian': {
    make: () =>
      mixture(
        scales.map((scale) => likelihoodRatio((z) => -Math.log(scale) - (z * z * (scale ** -2 - 1)) / 2)),
      ),
    draw: (random) => one(gaussians(random)),
  },
  'noise law: Gaussian': {
    make: () => noiseDistribution({ cdf: normalCdf }),
    draw: (random) => one(gaussians(random)),
  },
};

describe(`false alarms in ${count} replicates at level ${alpha}`, () => {
  it.each(Object.entries(nulls))('%s', (name, trial) =>
    expect(rejections(`null ${name}`, trial as Trial<unknown[]>, { count, steps, alpha })).toBeLessThan(
      tooMany,
    ),
  );

  it('this test can fail: it detects a level four times too high, and averages of peaks', () => {
    expect(tooMany).toBeLessThan(4 * alpha * count);
    const chanceOf = (make: () => Process<[number]>): number =>
      binomialAtLeast(
        rejections(
          'peaks',
          { make, draw: (random) => (): [number] => [random.bits32()] },
          { count: 400, steps: 400, alpha: 0.2 },
        ),
        400,
        0.2,
      );
    expect(chanceOf(averageOfPeaks)).toBeLessThan(1e-9);
    expect(chanceOf(() => mixture(Array.from({ length: 32 }, (_, bit) => ofBit(bit))))).toBeGreaterThan(0.5);
  });
});

/** Bets half of its wealth on one bit of each observation, which has 32 independent ones. */
function ofBit(bit: number): Process<[number]> {
  return likelihoodRatio((word) => Math.log1p((word >>> bit) % 2 === 1 ? 0.5 : -0.5));
}

/** An incorrect mixture: the average of peaks. */
function averageOfPeaks(): Process<[number]> {
  const parts = Array.from({ length: 32 }, (_, bit) => ofBit(bit));
  const average = (): number =>
    Math.log(parts.reduce((sum, { peak }) => sum + Math.exp(peak), 0) / parts.length);
  return {
    push: (x) => {
      for (const part of parts) part.push(x);
    },
    get logE() {
      return average();
    },
    get peak() {
      return average();
    },
    samples: 0,
    reach: Infinity,
    rejects: (level) => average() >= -Math.log(level),
  };
}
