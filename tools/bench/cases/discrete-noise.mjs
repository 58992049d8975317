import { seededRandom } from '@lethe/core';
import {
  discreteGaussian,
  discreteLaplace,
  exponential,
  gaussian,
  laplace,
  permuteAndFlip,
  skellam,
  staircase,
} from '@lethe/mechanisms';
import { nanosecondsEach } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const count = 100_000;

/**
 * Noise on a vector, as in a release.
 * @param {any} mechanism
 * @param {number} scale
 * @param {Pick<Case, 'name' | 'what' | 'of' | 'forms'>} about
 * @returns {Case}
 */
const adding = (mechanism, scale, about) => ({
  ...nanosecondsEach('sample'),
  parts: count,
  size: { count, scale },
  ...about,
  prepare() {
    const random = seededRandom(`bench/${about.name}`);
    const value = new Float64Array(count);
    const params = mechanism.params.parse(mechanism.examples[0]);
    return {
      run: timed(() => {
        value.fill(0);
        mechanism.addNoise(params, value, scale, random);
      }),
    };
  },
});

const candidates = 1000;

/**
 * One choice among many candidates.
 * @param {any} selector
 * @returns {Case}
 */
const choosing = (selector) => ({
  ...nanosecondsEach('candidate'),
  parts: candidates,
  name: `discrete/${selector.name}`,
  what: `a choice of one of ${candidates} by the selector ${selector.name}, against Gumbel noise`,
  of: 'choices',
  forms: ['gumbel'],
  size: { count: candidates, epsilon: 1 },
  prepare() {
    const random = seededRandom('bench/choice');
    const utilities = Float64Array.from({ length: candidates }, (_, i) => i % 7);
    return {
      run: timed(() => {
        selector.choose({}, utilities, 1, random);
      }),
    };
  },
});

const ofLaplace = { of: 'whole_laplaces', forms: ['geometric', 'rounded'] };
const ofGaussian = { of: 'whole_normals', forms: ['rounded'] };

/** @type {readonly Case[]} */
export const discreteNoise = [
  adding(gaussian, 100, {
    name: 'discrete/gaussian-real',
    what: 'Gaussian noise on reals, scale 100',
    of: 'whole_normals',
    forms: ['real'],
  }),
  adding(laplace, 100, {
    name: 'discrete/laplace-real',
    what: 'Laplace noise on reals, scale 100',
    of: 'whole_laplaces',
    forms: ['real'],
  }),
  ...[2.5, 100.1, 2 ** 20 + 0.1].map((scale) =>
    adding(discreteLaplace, scale, {
      name: `discrete/laplace-${Math.floor(scale)}`,
      what:
        `exact discrete Laplace noise, scale ${scale}, against two geometric numbers or a rounded ` +
        'Laplace',
      ...ofLaplace,
    }),
  ),
  ...[2.5, 100.1, 2 ** 20 + 0.1].map((scale) =>
    adding(discreteGaussian, scale, {
      name: `discrete/gaussian-${Math.floor(scale)}`,
      what: `exact discrete Gaussian noise, scale ${scale}, against rounded normals`,
      ...ofGaussian,
    }),
  ),
  ...[2.5, 100.1, 2000.1].map((scale) =>
    adding(skellam, scale, {
      name: `discrete/skellam-${Math.floor(scale)}`,
      what: `exact Skellam noise, scale ${scale}, against two Poisson numbers`,
      of: 'skellams',
      forms: ['poisson'],
    }),
  ),
  {
    ...adding(staircase, 1, {
      name: 'discrete/staircase',
      what: 'staircase noise, epsilon 1, against its definition',
      of: 'staircases',
      forms: ['steps'],
    }),
    size: { count, epsilon: 1 },
  },
  choosing(exponential),
  choosing(permuteAndFlip),
];
