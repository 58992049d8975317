import { nanosecondsEach } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

/** Not exported by the package. */
const built = new URL('../../../packages/core/dist/query/intake.js', import.meta.url);

const batch = Object.freeze({ id: 'run/12', normaliser: 100, size: 'hidden', scope: 'run/12' });
const gaussian = Object.freeze({ kind: 'mechanism', name: 'gaussian', params: Object.freeze({}) });
const clip = Object.freeze({ kind: 'clip', name: 'l2', params: Object.freeze({ radius: 1 }) });
const clipped = Object.freeze({
  kind: 'mean',
  name: 'clipped',
  params: Object.freeze({ clip, mechanism: gaussian }),
});
const draw = {
  ask: 'draw',
  sampler: Object.freeze({ kind: 'sampler', name: 'poisson', params: Object.freeze({ rate: 0.1 }) }),
  from: batch,
};
/** @param {number} dimension */
const mean = (dimension) => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
  batch,
  mean: clipped,
  target: { noiseMultiplier: 2 },
});

/**
 * @param {string} name
 * @param {string} what
 * @param {object} query
 * @param {number} goal
 * @returns {Case}
 */
const taken = (name, what, query, goal) => ({
  name: `border/${name}`,
  ...nanosecondsEach('query'),
  parts: many,
  against: 'structuredClone',
  goal,
  what: `${what} checked, copied and encoded by the curator, against a copy of it alone`,
  async prepare() {
    /** @type {typeof import('../../../packages/core/src/query/intake.js')} */
    const { createIntake } = await import(built.href);
    const take = createIntake();
    return {
      run: timed(() => {
        for (let k = 0; k < many; k++) take(query);
      }),
      other: timed(() => {
        for (let k = 0; k < many; k++) structuredClone(query);
      }),
    };
  },
});

const many = 1000;
/** @type {readonly Case[]} */
export const borders = [
  taken('close', 'a close', { ask: 'close', batch }, 0.5),
  taken('draw', 'a draw', draw, 0.7),
  taken('mean-10', 'a mean of 10 entries', mean(10), 0.8),
  taken('mean-1000', 'a mean of 1000 entries', mean(1000), 0.9),
];
