import { microsecondsEach, milliseconds } from '../case.mjs';
import { makeColumns, makeRecords } from '../data.mjs';
import { timed } from '../measure.mjs';
import { attach, planCoordinatePass, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const n = 100_000;
const d = 1000;
const clip = 0.1;
const stepSize = 1;

/** @type {import('@lethe/curator').DataSet | null} */
let attached = null;
const dataSet = () => (attached ??= attach(makeColumns(n, d)));

/**
 * @param {boolean} noisy
 * @param {Pick<Case, 'name' | 'what'> & Partial<Case>} about
 * @returns {Case}
 */
const pass = (noisy, about) => ({
  ...milliseconds,
  of: 'coordinate_pass',
  forms: ['whole', 'blocks-13', 'blocks-14'],
  size: { n, d, clip, stepSize, noisy: Number(noisy) },
  ...about,
  prepare() {
    const data = dataSet();
    const run = planCoordinatePass(data, { stepSize, clip, noisy });
    const once = () => runOnce(data, run);
    return {
      run: timed(once),
      ...(noisy
        ? {
            dispose() {
              attached = null;
            },
          }
        : { check: once }),
    };
  },
});

/** @type {readonly Case[]} */
export const coordinatePasses = [
  pass(false, {
    name: 'coordinates/pass-exact',
    what:
      'a pass over 1000 coordinates of 100k records by columns, logistic, clipped, ' +
      'without noise: results compared',
  }),
  pass(true, {
    name: 'coordinates/pass',
    what: 'a pass over 1000 coordinates of 100k records by columns, logistic, clipped, noised',
    goal: 0.6,
  }),
  {
    name: 'coordinates/small',
    what: 'a step along one of 64 coordinates of 100 records, through the whole stack',
    ...microsecondsEach('step'),
    parts: 64,
    prepare() {
      const data = attach(makeRecords(100, 64));
      const run = planCoordinatePass(data, { stepSize, clip, noisy: true });
      return { run: timed(() => runOnce(data, run)) };
    },
  },
];
