import type { Registry } from '@lethe/core';
import { classicalGaussian } from './classical-gaussian.js';
import { discreteGaussian } from './discrete-gaussian.js';
import { discreteLaplace } from './discrete-laplace.js';
import { gaussian } from './gaussian.js';
import { laplace } from './laplace.js';
import { skellamEvent } from './skellam-event.js';
import { skellam } from './skellam.js';
import { staircase, staircaseEvent } from './staircase.js';

export { gaussianDeltaUp } from './gaussian-delta.js';
export type { Fraction } from './dyadic.js';
export { largestWholeScale } from './whole-noise.js';
export {
  bernoulliExpMinus,
  sampleDiscreteGaussian,
  sampleDiscreteLaplace,
  uniformBelow,
} from './rational-samplers.js';
export {
  classicalGaussian,
  discreteGaussian,
  discreteLaplace,
  gaussian,
  laplace,
  skellam,
  skellamEvent,
  staircase,
  staircaseEvent,
};

/** The noise mechanisms. */
export const noiseMechanisms: Registry = Object.freeze([
  gaussian,
  classicalGaussian,
  laplace,
  discreteLaplace,
  discreteGaussian,
  skellam,
  skellamEvent,
  staircase,
  staircaseEvent,
]);
