import { normalCdf } from '@lethe/numerics';
import { type RandomSource } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussians, laplaces, samplesToReject, type Trial } from '../../test/evidence.js';
import {
  auditedPair,
  boundedMean,
  detectableGap,
  detectableScale,
  heavyMean,
  histogramWitness,
  hockeyStick,
  knownRatio,
  likelihoodRatio,
  mixture,
  noiseDistribution,
  nonNegativeMean,
  samplesForGrowth,
  usualWitnesses,
  vectorMean,
} from './index.js';

const alpha = 1e-10;
const scales = [0.5, 0.7, 0.8, 0.9, 0.95];
const one = (next: () => number) => (): [number] => [next()];
const gaussian =
  (scale: number, shift = 0) =>
  (random: RandomSource) => {
    const next = gaussians(random);
    return one(() => scale * next() + shift);
  };
const laplace = (scale: number) => (random: RandomSource) => {
  const next = laplaces(random);
  return one(() => scale * next());
};
const shifted =
  (streamOf: (random: RandomSource) => () => number, shift: number, scale: number) =>
  (random: RandomSource) => {
    const next = streamOf(random);
    return (): [number, number] => [scale * next() + shift, scale * next()];
  };
const laplaceCdf = (x: number): number => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2);
const laplaceProfile = (epsilon: number): number => Math.max(0, 1 - Math.exp((epsilon - 1) / 2));
const gaussianProfile =
  (mu: number) =>
  (epsilon: number): number =>
    normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
const cube = (d: number, bias: number) => (random: RandomSource) => (): [ArrayLike<number>] => [
  Float64Array.from({ length: d }, () => (2 * random.uniform() - 1) * Math.sqrt(3) + bias / Math.sqrt(d)),
];

/**
 * Median and worst number of samples over 25 replicates, each within
 * a range around the measured one, or for the worst below its end.
 */
function needs<Observation extends readonly unknown[]>(
  trial: Trial<Observation>,
  [atLeast, atMost]: readonly [number, number],
  worst: number,
): void {
  const samples = samplesToReject('power', trial, { count: 25, steps: worst + 1, alpha });
  expect(samples[12]).toBeGreaterThan(atLeast);
  expect(samples[12]).toBeLessThan(atMost);
  expect(samples[24]).toBeLessThanOrEqual(worst);
}

describe('direct noise tests', () => {
  const gaussianScales = (): ReturnType<typeof mixture<[number]>> =>
    mixture(
      scales.map((scale) =>
        likelihoodRatio((z: number) => -Math.log(scale) - (z * z * (scale ** -2 - 1)) / 2),
      ),
    );
  it.each([
    [0.9, [1500, 3000], 6000],
    [0.8, [400, 800], 1500],
  ] as const)('Gaussian %f times too small, by its density', (scale, median, worst) =>
    needs({ make: gaussianScales, draw: gaussian(scale) }, median, worst),
  );
  it.each([
    [0.9, [1500, 3200], 6500],
    [0.8, [400, 850], 1600],
    [1.1, [1600, 3600], 8000],
  ] as const)('Gaussian %f times, by its distribution function', (scale, median, worst) =>
    needs({ make: () => noiseDistribution({ cdf: normalCdf }), draw: gaussian(scale) }, median, worst),
  );
  it('Laplace 0.9 times too small', () =>
    needs({ make: () => noiseDistribution({ cdf: laplaceCdf }), draw: laplace(0.9) }, [3000, 7000], 14000));
  it('Laplace declared as Gaussian', () =>
    needs(
      { make: () => noiseDistribution({ cdf: normalCdf }), draw: laplace(Math.SQRT1_2) },
      [500, 1200],
      2500,
    ));
  it('uniform declared as Gaussian', () =>
    needs(
      {
        make: () => noiseDistribution({ cdf: normalCdf }),
        draw: (random) => one(() => (random.uniform() - 0.5) * Math.sqrt(12)),
      },
      [400, 1200],
      2500,
    ));
  it('shifted by a tenth', () =>
    needs(
      { make: () => noiseDistribution({ cdf: normalCdf }), draw: gaussian(1, 0.1) },
      [3000, 7500],
      14000,
    ));
  it('a value outside the support', () =>
    needs(
      {
        make: () => noiseDistribution({ cdf: (x) => Math.min(Math.max(x, 0), 1) }),
        draw: (random) => one(() => random.uniform() * 1.01),
      },
      [0, 800],
      1500,
    ));
});

describe('means', () => {
  it('a coin of 0.55', () =>
    needs(
      {
        make: () => boundedMean({ atMost: 0, lowest: -1 }),
        draw: (random) => one(() => (random.uniform() < 0.55 ? 1 : -1)),
      },
      [3500, 6500],
      13000,
    ));
  it.each([
    [1.2, [2000, 4500], 9000],
    [1.5, [450, 1000], 2200],
  ] as const)('variance %f times too large, from pairs', (ratio, median, worst) =>
    needs(
      {
        make: () => nonNegativeMean({ atMost: 1 }),
        draw: (random) => {
          const next = gaussians(random);
          return one(() => (ratio * (next() - next()) ** 2) / 2);
        },
      },
      median,
      worst,
    ),
  );
  it.each([
    [20, [1500, 3000], 4500],
    [60, [2200, 4500], 7000],
  ] as const)('a vector of %i coordinates, a fifth of a deviation off', (d, median, worst) =>
    needs(
      {
        make: () => vectorMean({ mean: new Float64Array(d), radius: Math.sqrt(3 * d) + 0.2 }),
        draw: cube(d, 0.2),
      },
      median,
      worst,
    ),
  );
  it('a heavy-tailed mean, half a bound off', () =>
    needs(
      {
        make: () => heavyMean({ equals: 0, order: 1.5, moment: 1, horizon: 10_000, alpha }),
        draw: gaussian(0.5, 0.5),
      },
      [200, 700],
      1200,
    ));
});

describe('two distributions', () => {
  const learned = (): ReturnType<typeof auditedPair> =>
    auditedPair({ profile: laplaceProfile, witnesses: [histogramWitness()] });
  it.each([
    [0.8, [4500, 10_000], 16_000],
    [0.5, [2100, 2900], 3500],
  ] as const)('Laplace %f times too small, learned', (scale, median, worst) =>
    needs({ make: learned, draw: shifted(laplaces, 1, scale) }, median, worst),
  );
  it('Laplace 0.8 times too small, known', () =>
    needs(
      {
        make: () => hockeyStick({ epsilon: 0.5, delta: laplaceProfile(0.5) }),
        draw: (random) => {
          const next = shifted(laplaces, 1, 0.8)(random);
          return (): [number, number] => {
            const [x, y] = next();
            return [Number(x > 0.75), Number(y > 0.75)];
          };
        },
      },
      [3000, 7000],
      14_000,
    ));
  it('Gaussian at mu = 1, 0.8 times too small, density known', () =>
    needs(
      {
        make: () => auditedPair({ profile: gaussianProfile(1), witnesses: [knownRatio((y) => y[0] - 0.5)] }),
        draw: shifted(gaussians, 1, 0.8),
      },
      [2000, 4500],
      8000,
    ));
  it.each([
    [0.9, [4500, 9000], 14_000],
    [0.5, [250, 450], 600],
  ] as const)('Gaussian at mu = 2, %f times too small, nothing known', (scale, median, worst) =>
    needs(
      {
        make: () => auditedPair({ profile: gaussianProfile(2), witnesses: usualWitnesses(1) }),
        draw: shifted(gaussians, 2, scale),
      },
      median,
      worst,
    ),
  );
  it('a slanted direction in three dimensions', () =>
    needs(
      {
        make: () =>
          auditedPair({ profile: gaussianProfile(2), epsilons: [0.01, 1], witnesses: usualWitnesses(3) }),
        draw: (random) => {
          const next = gaussians(random);
          const noise = (): number => 0.7 * next();
          return (): [ArrayLike<number>, ArrayLike<number>] => [
            [noise() + Math.SQRT2, noise() - Math.SQRT2, noise()],
            [noise(), noise(), noise()],
          ];
        },
      },
      [400, 3500],
      5000,
    ));
});

describe('the power of a number of samples', () => {
  it('agrees with measurements', () => {
    const gaussianGrowth = (0.81 - 1) / 2 - Math.log(0.9);
    expect(samplesForGrowth(gaussianGrowth, alpha)).toBeGreaterThan(4700);
    expect(samplesForGrowth(gaussianGrowth, alpha)).toBeLessThan(5500);
    expect(detectableScale(samplesForGrowth(gaussianGrowth, alpha), alpha, 1)).toBeCloseTo(0.9, 4);
    expect(detectableScale(6500, alpha)).toBeCloseTo(0.9, 1);
    expect(detectableGap(1, 10_600, alpha)).toBeCloseTo(0.1, 3);
  });
});
