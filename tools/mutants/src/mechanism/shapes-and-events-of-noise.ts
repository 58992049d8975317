import type { RandomSource, Vector } from '@lethe/core';
import { gaussian, laplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

/** Gaussian noise, changed before it is added. */
const changed = (change: (noise: Vector, random: RandomSource) => Vector) =>
  planted(gaussian, {
    addNoise(params, value, scale, random) {
      const noise = new Float64Array(value.length);
      gaussian.addNoise(params, noise, scale, random);
      change(
        noise.map((x) => x / scale),
        random,
      ).forEach((z, j) => {
        value[j] += scale * z;
      });
    },
  });

export const xMechanism10 = defineMutant({
  id: 'mechanism/noise-cut-four-standard-deviations-against-outliers',
  title: 'noise is truncated at four standard deviations',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/long-calls'],
  within: 2 ** 20,
  plant: () => changed((noise) => noise.map((z) => Math.max(-4, Math.min(4, z)))),
});

export const xMechanism11 = defineMutant({
  id: 'mechanism/twelve-uniforms-less-six-stand-gaussian',
  title: 'the sum of twelve uniforms replaces a Gaussian',
  kind: 'mechanism',
  source: 'classic',
  killedBy: ['mechanism/long-calls'],
  within: 2 ** 20,
  plant: () =>
    changed((noise, random) =>
      noise.map(() => {
        let sum = -6;
        for (let i = 0; i < 12; i++) sum += random.uniform();
        return sum;
      }),
    ),
});

export const xMechanism12 = defineMutant({
  id: 'mechanism/every-other-call-one-source-opposite-noise',
  title: 'every second call with one source has the opposite noise, to lower the variance of sums',
  kind: 'mechanism',
  source: 'antithetic variates',
  killedBy: ['mechanism/fresh-coins'],
  within: 60,
  plant() {
    const last = new WeakMap<RandomSource, Vector>();
    return changed((noise, random) => {
      const before = last.get(random);
      if (before?.length === noise.length) {
        last.delete(random);
        return before.map((z) => -z);
      }
      last.set(random, noise);
      return noise;
    });
  },
});

export const xMechanism13 = defineMutant({
  id: 'mechanism/laplace-noise-made-32-bits',
  title: 'Laplace noise uses 32 random bits',
  kind: 'mechanism',
  source: 'mironov-2012',
  killedBy: ['mechanism/long-calls'],
  within: 2 ** 20,
  plant: () =>
    planted(laplace, {
      addNoise(params, value, scale, random) {
        laplace.addNoise(params, new Float64Array(0), scale, random);
        value.forEach((x, j) => {
          const u = (random.bits32() + 0.5) / 2 ** 32 - 0.5;
          value[j] = x - scale * Math.sign(u) * Math.log1p(-2 * Math.abs(u));
        });
      },
    }),
});

export const xMechanism14 = defineMutant({
  id: 'mechanism/noise-vector-centred-totals-come-out-right',
  title: 'the noise of a vector is centred, so that totals are exact',
  kind: 'mechanism',
  source: 'post-processing for consistency, without its cost',
  killedBy: ['mechanism/every-direction'],
  within: 1000,
  plant: () =>
    changed((noise) => {
      const { length } = noise;
      const mean = noise.reduce((sum, z) => sum + z, 0) / length;
      return length < 5 ? noise : noise.map((z) => (z - mean) * Math.sqrt(length / (length - 1)));
    }),
});

export const xMechanism15 = defineMutant({
  id: 'mechanism/event-never-speaks-multiplier-below-tenth',
  title: 'the event records a multiplier of at least 0.1',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2000,
  plant: () =>
    planted(gaussian, {
      event: (params, noiseMultiplier, relative) =>
        gaussian.event(params, Math.max(0.1, noiseMultiplier), relative),
    }),
});

export const xMechanism16 = defineMutant({
  id: 'mechanism/multiplier-event-six-digits',
  title: 'the event records the multiplier with six digits',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2000,
  plant: () =>
    planted(gaussian, {
      event: (params, noiseMultiplier, relative) =>
        gaussian.event(params, Number(noiseMultiplier.toPrecision(6)), relative),
    }),
});

export const xMechanism17 = defineMutant({
  id: 'mechanism/calibration-takes-delta-below-1e-10-1e',
  title: 'calibration replaces a δ below 1e-10 by 1e-10',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/calibration'],
  within: 200,
  plant: () =>
    planted(gaussian, {
      multiplierFor: (params, target) =>
        gaussian.multiplierFor(
          params,
          'epsilon' in target && target.delta > 0
            ? { ...target, delta: Math.max(1e-10, target.delta) }
            : target,
        ),
    }),
});
