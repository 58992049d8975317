import type { ZodSchema } from '@lethe/numerics';
import type { Mechanism } from '@lethe/core';
import { discreteGaussian, discreteLaplace, skellam } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

const thinned = <Params extends ZodSchema>(
  [id, title]: readonly [string, string],
  base: Mechanism<Params>,
  scaleOf: (scale: number) => number,
) =>
  defineMutant({
    id: `mechanism/${id}`,
    title,
    kind: 'mechanism',
    source: 'generic',
    killedBy: ['mechanism/every-octave'],
    within: 1_000_000,
    plant: () =>
      planted(base, {
        addNoise: (params, value, scale, random) => {
          base.addNoise(params, value, scaleOf(scale), random);
        },
      }),
  });
const between = (scale: number, octave: number): boolean => scale >= 2 ** octave && scale < 2 ** (octave + 1);

export const gaussianInOneOctave = thinned(
  ['discrete-gaussian-noise-of-one-octave-low', 'discrete Gaussian noise is 7 % low from scale 1024 to 2048'],
  discreteGaussian,
  (scale) => (between(scale, 10) ? 0.93 * scale : scale),
);
export const laplaceInOneOctave = thinned(
  ['discrete-laplace-noise-of-one-octave-low', 'discrete Laplace noise is 8 % low from scale 2^21 to 2^22'],
  discreteLaplace,
  (scale) => (between(scale, 21) ? 0.92 * scale : scale),
);
export const skellamBelowTwo = thinned(
  ['skellam-noise-below-scale-two-low', 'Skellam noise is 10 % low below scale 2'],
  skellam,
  (scale) => (scale >= 1.15 && scale < 2 ? 0.9 * scale : scale),
);
