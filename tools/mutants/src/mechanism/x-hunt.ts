import type { RandomSource } from '@lethe/core';
import { discreteGaussian, discreteLaplace, gaussian, laplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

/** Discrete noise alone. */
const noiseOf = (scale: number, length: number, random: RandomSource): Float64Array => {
  const noise = new Float64Array(length);
  discreteGaussian.addNoise({}, noise, scale, random);
  return noise;
};
const held = (x: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, x));

export const xMechanism60 = defineMutant({
  id: 'mechanism/scales-above-32-rounded-whole-numbers',
  title: 'scales above 32 are rounded to integers',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/wide-scales'],
  within: 50_000,
  plant: () =>
    planted(discreteGaussian, {
      addNoise: (params, value, scale, random) =>
        discreteGaussian.addNoise(params, value, scale > 32 ? Math.round(scale) : scale, random),
    }),
});

export const xMechanism61 = defineMutant({
  id: 'mechanism/table-scale-first-same-whole-part',
  title: 'tables are cached by the integer part of the scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/wide-scales'],
  within: 50_000,
  plant: () => {
    const first = new Map<number, number>();
    return planted(discreteLaplace, {
      addNoise(params, value, scale, random) {
        const whole = Math.floor(scale);
        if (scale >= 1 && scale < Infinity && !first.has(whole)) first.set(whole, scale);
        discreteLaplace.addNoise(params, value, first.get(whole) ?? scale, random);
      },
    });
  },
});

export const xMechanism62 = defineMutant({
  id: 'mechanism/above-scale-64-all-noise-even',
  title: 'noise of scales above 64 is always even',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/wide-scales'],
  within: 50_000,
  plant: () =>
    planted(discreteGaussian, {
      addNoise(params, value, scale, random) {
        discreteGaussian.addNoise(params, value.slice(), scale, random.fork('refused'));
        noiseOf(scale, value.length, random).forEach((z, i) => {
          value[i] = held(value[i] + (scale > 64 ? 2 * Math.round(z / 2) : z));
        });
      },
    }),
});

export const xMechanism63 = defineMutant({
  id: 'mechanism/above-scale-100-noise-rounded-gaussian-called',
  title: 'noise of scales above 100 is a rounded Gaussian, declared as exact',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/wide-scales'],
  within: 50_000,
  plant: () =>
    planted(discreteGaussian, {
      addNoise(params, value, scale, random) {
        if (!(scale > 100 && scale <= 2 ** 40)) {
          discreteGaussian.addNoise(params, value, scale, random);
          return;
        }
        random.gaussianInto(new Float64Array(value.length)).forEach((z, i) => {
          value[i] = held(value[i] + Math.round(scale * z));
        });
      },
    }),
});

export const xMechanism64 = defineMutant({
  id: 'mechanism/sum-beyond-safe-integers-drawn-anew',
  title: 'noise is redrawn if the sum is beyond the safe integers',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/wide-scales'],
  within: 50_000,
  plant: () =>
    planted(discreteGaussian, {
      addNoise(params, value, scale, random) {
        discreteGaussian.addNoise(params, value.slice(), scale, random.fork('refused'));
        for (let i = 0; i < value.length; i++) {
          let sum: number;
          do sum = value[i] + noiseOf(scale, 1, random)[0];
          while (!Number.isSafeInteger(sum));
          value[i] = sum;
        }
      },
    }),
});

export const xMechanism65 = defineMutant({
  id: 'mechanism/entries-before-fractional-one-noised-refused',
  title: 'a fractional entry is refused after noise was added to earlier ones',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/lattice'],
  within: 100,
  plant: () =>
    planted(discreteLaplace, {
      addNoise(params, value, scale, random) {
        for (let i = 0; i < value.length; i++)
          discreteLaplace.addNoise(params, value.subarray(i, i + 1), scale, random);
      },
    }),
});

export const xMechanism66 = defineMutant({
  id: 'mechanism/no-noise-entries-beyond-24',
  title: 'no noise on entries beyond 2⁴⁰',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/data-independence'],
  within: 100,
  plant: () =>
    planted(gaussian, {
      addNoise(params, value, scale, random) {
        const before = value.slice();
        gaussian.addNoise(params, value, scale, random);
        before.forEach((x, i) => {
          if (Math.abs(x) > 2 ** 40) value[i] = x;
        });
      },
    }),
});

export const xMechanism67 = defineMutant({
  id: 'mechanism/negative-zeros-left-alone',
  title: 'negative zeros get no noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/data-independence'],
  within: 100,
  plant: () =>
    planted(laplace, {
      addNoise(params, value, scale, random) {
        const before = value.slice();
        laplace.addNoise(params, value, scale, random);
        before.forEach((x, i) => {
          if (Object.is(x, -0)) value[i] = x;
        });
      },
    }),
});

export const xMechanism68 = defineMutant({
  id: 'mechanism/event-takes-sensitivity-add-remove-zero-out',
  title: 'the event uses the sensitivity of add-remove for zero-out',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 1000,
  plant: () =>
    planted(gaussian, {
      event: (params, multiplier, relative) =>
        gaussian.event(
          params,
          multiplier,
          relative['zero-out'] === undefined || relative['add-remove'] === undefined
            ? relative
            : { ...relative, 'zero-out': relative['add-remove'] },
        ),
    }),
});

export const xMechanism69 = defineMutant({
  id: 'mechanism/event-fills-sensitivity-1-adjacency-without-one',
  title: 'the event has sensitivity 1 for an adjacency without one',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 1000,
  plant: () =>
    planted(laplace, {
      event: (params, multiplier, relative) =>
        laplace.event(params, multiplier, { 'zero-out': 1, ...relative }),
    }),
});

export const xMechanism70 = defineMutant({
  id: 'mechanism/scale-root-square-vanishes',
  title: 'the scale is the root of its square, which underflows',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/scale-equivariance'],
  within: 100,
  plant: () =>
    planted(gaussian, {
      addNoise(params, value, scale, random) {
        const root = Math.sqrt(scale * scale);
        if (root > 0 && scale > 0) gaussian.addNoise(params, value, root, random);
        else if (!(scale > 0)) gaussian.addNoise(params, value, scale, random);
      },
    }),
});
