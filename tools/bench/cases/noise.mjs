import { secureRandom, seededRandom } from '@lethe/core';
import { nanosecondsEach } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const count = 1_000_000;
const sources = { secure: secureRandom, seeded: () => seededRandom('bench/noise') };

/**
 * @param {keyof typeof sources} kind
 * @param {'gaussianInto' | 'laplaceInto'} fill
 * @param {Pick<Case, 'name' | 'what' | 'of' | 'forms' | 'goal'>} about
 * @returns {Case}
 */
const filling = (kind, fill, about) => ({
  ...nanosecondsEach('sample'),
  parts: count,
  size: { count },
  ...about,
  prepare() {
    const random = sources[kind]();
    const out = new Float64Array(count);
    return { run: timed(() => random[fill](out)) };
  },
});

/** @type {readonly Case[]} */
export const noise = [
  filling('secure', 'gaussianInto', {
    name: 'noise/normals-secure',
    what: 'normals, secure source, against numpy’s default generator',
    of: 'normals',
    forms: ['PCG64'],
    goal: 0.45,
  }),
  filling('seeded', 'gaussianInto', {
    name: 'noise/normals-seeded',
    what: 'normals, seeded source, against numpy’s default generator',
    of: 'normals',
    forms: ['PCG64'],
    goal: 0.45,
  }),
  filling('secure', 'gaussianInto', {
    name: 'noise/normals-fastest',
    what: 'normals, secure source, against numpy’s fastest generator',
    of: 'normals',
    forms: ['SFC64'],
  }),
  filling('secure', 'laplaceInto', {
    name: 'noise/laplace-secure',
    what: 'Laplace, secure source',
    of: 'laplaces',
    forms: ['laplace', 'exponential'],
  }),
  filling('seeded', 'laplaceInto', {
    name: 'noise/laplace-seeded',
    what: 'Laplace, seeded source',
    of: 'laplaces',
    forms: ['laplace', 'exponential'],
  }),
];
