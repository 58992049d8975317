import type { RandomSource, Vector } from '@lethe/core';
import { discreteGaussian, discreteLaplace, skellam } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

/** Successive draws of a mechanism's own noise. */
const drawOf = (base: typeof discreteLaplace, scale: number, random: RandomSource): number => {
  const one = new Float64Array(1);
  base.addNoise({}, one, scale, random);
  return one[0];
};
const each = (value: Vector, noise: () => number): void =>
  value.forEach((x, j) => {
    value[j] = x + noise();
  });

export const xWholeNoise1 = defineMutant({
  id: 'mechanism/laplace-noise-doubles-rounded-called-exact',
  title: 'rounded Laplace noise in doubles is declared as exact',
  kind: 'mechanism',
  source: 'Mironov 2012',
  killedBy: ['mechanism/lattice', 'mechanism/noise-law'],
  within: 1000,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => Math.round(scale * random.laplaceInto(new Float64Array(1))[0])),
    }),
});

export const xWholeNoise2 = defineMutant({
  id: 'mechanism/zero-comes-either-sign-not-drawn-again',
  title: 'zero with a negative sign is not redrawn: its probability is doubled',
  kind: 'mechanism',
  source: 'Canonne, Kamath and Steinke 2020, Algorithm 2',
  killedBy: ['mechanism/noise-law'],
  within: 2000,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => {
          let size = -1;
          while (size < 0) size = drawOf(discreteLaplace, scale, random);
          return random.integer(2) === 0 ? size : 0 - size;
        }),
    }),
});

export const xWholeNoise3 = defineMutant({
  id: 'mechanism/geometric-number-counts-last-toss-too',
  title: 'the geometric number counts the last trial too',
  kind: 'mechanism',
  source: 'the two definitions of a geometric law',
  killedBy: ['mechanism/noise-law'],
  within: 2000,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => {
          const noise = drawOf(discreteLaplace, scale, random);
          return noise + Math.sign(noise);
        }),
    }),
});

export const xWholeNoise4 = defineMutant({
  id: 'mechanism/discrete-laplace-proposals-all-accepted-discrete-gaussian',
  title: 'discrete Laplace proposals are all accepted as discrete Gaussian noise',
  kind: 'mechanism',
  source: 'Canonne, Kamath and Steinke 2020, Algorithm 3',
  killedBy: ['mechanism/noise-law'],
  within: 2000,
  plant: () =>
    planted(discreteGaussian, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => drawOf(discreteLaplace, Math.floor(scale) + 1, random)),
    }),
});

export const xWholeNoise5 = defineMutant({
  id: 'mechanism/scale-taken-down-whole-number-small-integers',
  title: 'the scale is rounded down to an integer',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/divergence'],
  cell: 'sensitivity 3, twice the scale',
  within: 24_000,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (params, value, scale, random) =>
        discreteLaplace.addNoise(params, value, scale > 1 ? Math.floor(scale) : scale, random),
    }),
});

export const xWholeNoise6 = defineMutant({
  id: 'mechanism/whole-noise-added-whatever-value',
  title: 'integer noise is added to values that are not integers',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/lattice'],
  within: 10,
  plant: () =>
    planted(discreteGaussian, {
      addNoise(params, value, scale, random) {
        const noise = new Float64Array(value.length);
        discreteGaussian.addNoise(params, noise, scale, random);
        value.forEach((x, j) => {
          value[j] = x + noise[j];
        });
      },
    }),
});

export const xWholeNoise7 = defineMutant({
  id: 'mechanism/target-rho-met-epsilon',
  title: 'a target of ρ is used as ε',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/zcdp', 'mechanism/calibration'],
  within: 100,
  plant: () =>
    planted(discreteGaussian, {
      multiplierFor: (params, target) =>
        'rho' in target ? 1 / (2 * target.rho) : discreteGaussian.multiplierFor(params, target),
    }),
});

export const xWholeNoise8 = defineMutant({
  id: 'mechanism/poisson-numbers-skellam-noise-half-scale-rate',
  title: 'the Poisson numbers of Skellam noise have the rate scale/2 instead of scale²/2',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/divergence'],
  within: 24_000,
  plant: () =>
    planted(skellam, {
      addNoise: (params, value, scale, random) =>
        skellam.addNoise(params, value, Math.max(1, Math.sqrt(scale)), random),
    }),
});

export const xWholeNoise9 = defineMutant({
  id: 'mechanism/discrete-laplace-noise-offered-l2-sensitivity',
  title: 'discrete Laplace noise is declared for ℓ2 sensitivity',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2000,
  plant: () => planted(discreteLaplace, { norm: 'l2' }),
});

export const xWholeNoise10 = defineMutant({
  id: 'mechanism/noise-beyond-nine-scales-not-come-table',
  title: 'noise is truncated at nine scales, the end of the table',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/long-calls', 'mechanism/noise-law'],
  within: 2 ** 20,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => {
          let noise = Infinity;
          while (Math.abs(noise) > 9 * scale) noise = drawOf(discreteLaplace, scale, random);
          return noise;
        }),
    }),
});

export const xWholeNoise11 = defineMutant({
  id: 'mechanism/scales-above-24-refused-noise-added-not',
  title:
    'addNoise refuses scales above 2⁴⁰ and assertScale accepts them, ' +
    'so that a curator charges without an answer',
  kind: 'mechanism',
  source: 'a scale above 2⁴⁰',
  killedBy: ['mechanism/refusals'],
  within: 20,
  plant: () => planted(discreteGaussian, { assertScale: () => undefined }),
});

export const xWholeNoiseDivisible = defineMutant({
  id: 'mechanism/discrete-gaussian-called-divisible',
  title: 'shares of discrete Gaussian noise are said to add up to discrete Gaussian noise',
  kind: 'mechanism',
  source: 'Kairouz, Liu and Steinke 2021',
  killedBy: ['mechanism/divisible'],
  within: 1000,
  plant: () => planted(discreteGaussian, { divisible: true }),
});

export const signOfZero = defineMutant({
  id: 'mechanism/whole-noise-keeps-the-sign-of-zero',
  title: 'noise that is zero leaves a negative zero as it is',
  kind: 'mechanism',
  source: 'generic: a sampler that answers its sign times its size',
  killedBy: ['mechanism/lattice'],
  within: 100,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) =>
        each(value, () => {
          const noise = drawOf(discreteLaplace, scale, random);
          return noise === 0 ? -0 : noise;
        }),
    }),
});
