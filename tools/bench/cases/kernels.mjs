import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@lethe/core';
import { sparseData } from '@lethe/losses';
import {
  accumulate,
  arenaOf,
  clippedGradient,
  clippedTerms,
  defined,
  margins,
  rowNorms,
  sparseInArena,
} from '@lethe/numerics';
import { milliseconds, short } from '../case.mjs';
import { makeRecords, recordsOf } from '../data.mjs';
import { labModule } from '../lab.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const untilWorkersWait = 500;

/**
 * @param {number} n
 * @param {number} d
 * @param {number} goal
 * @param {32 | 64} [precision] bits of a feature of ours; numpy has 64
 * @returns {Case}
 */
const fullBatch = (n, d, goal, precision = 64) => ({
  name: `kernels/gradient-${precision === 32 ? '32-bits-' : ''}${short(n)}x${d}`,
  what: `clipped logistic gradient of all rows, ${short(n)} × ${d}${precision === 32 ? ', in 32 bits' : ''}`,
  ...milliseconds,
  forms: ['whole', 'blocks-15', 'blocks-17', 'blocks-19'],
  of: 'gradient',
  size: { n, d },
  goal,
  prepare() {
    const { X, labels, norms, allRecords, w } = recordsOf(n, d, precision);
    const out = new Float64Array(d);
    const once = () =>
      clippedGradient({
        X,
        labels,
        norms,
        w,
        rows: allRecords,
        radius: 1,
        slope: 'logistic',
        out: out.fill(0),
      });
    // Rounded rows have another gradient.
    return precision === 32 ? { run: timed(once) } : { run: timed(once), check: once };
  },
});

/**
 * @param {string} name
 * @param {string} what
 * @param {string} of
 * @param {readonly string[]} forms
 * @param {(records: import('../data.mjs').Records) => () => Float64Array} make
 * @returns {Case}
 */
const plain = (name, what, of, forms, make) => ({
  name: `kernels/${name}`,
  what: `${what}, 100k × 100`,
  ...milliseconds,
  forms,
  of,
  size: { n: 100_000, d: 100 },
  prepare() {
    const once = make(recordsOf(100_000, 100));
    return { run: timed(once), check: once };
  },
});

/**
 * A difference of two gradients, each record's clipped once, against one gradient.
 * @param {Omit<Parameters<typeof clippedTerms>[0], 'radius' | 'slope' | 'terms' | 'out'> & { readonly w: Float64Array }} given
 */
function differenceOf({ w, ...given }) {
  const job = { ...given, radius: 1, slope: /** @type {const} */ ('logistic') };
  const out = new Float64Array(w.length);
  const terms = [
    { weight: 3, at: w },
    { weight: -2, at: w.map((entry) => entry / 2) },
  ];
  return {
    run: timed(() => clippedTerms({ ...job, terms, out: out.fill(0) })),
    other: timed(() => clippedGradient({ ...job, w, out: out.fill(0) })),
  };
}

const differences = {
  ...milliseconds,
  against: 'one clipped gradient',
  goal: 1.25,
};
const aboutDifferences = 'clipped differences of logistic gradients at two points, against one gradient';

/**
 * @param {number} n
 * @param {number} d
 * @returns {Case}
 */
const difference = (n, d) => ({
  ...differences,
  name: `kernels/difference-${short(n)}x${d}`,
  what: `${aboutDifferences}, ${short(n)} × ${d}`,
  prepare() {
    const { X, labels, norms, allRecords: rows, w } = recordsOf(n, d);
    return differenceOf({ X, labels, norms, rows, w });
  },
});

/**
 * @param {number} n
 * @param {number} d
 * @returns {Case}
 */
const differenceOnThreads = (n, d) => ({
  ...differences,
  name: `kernels/difference-threads-${short(n)}x${d}`,
  what: `${aboutDifferences}, ${short(n)} × ${d}, two threads each`,
  async prepare() {
    const pool = await labModule('threads/worker-threads.js');
    if (pool === null) return { skipped: 'the thread pool of @lethe/lab is not built' };
    const { X, labels, norms, allRecords: rows, w, arena } = makeRecords(n, d);
    const workerPool = pool.threadPool(arena, 2);
    await sleep(untilWorkersWait);
    return { ...differenceOf({ X, labels, norms, rows, w }), dispose: () => workerPool.close() };
  },
});

/**
 * Sparse rows, in memory of the kernels.
 * @param {number} n
 * @param {number} d
 * @param {number} entries of a row
 * @returns {Case}
 */
const differenceOfSparse = (n, d, entries) => ({
  ...differences,
  name: `kernels/difference-csr-${short(n)}x${short(d)}`,
  what: `${aboutDifferences}, ${short(n)} rows of ${entries} entries in ${short(d)} columns`,
  prepare() {
    const made = sparseData({ rows: n, columns: d, entries, exponent: 1 }, seededRandom('bench/csr'));
    const X = sparseInArena(made.features);
    const arena = defined(arenaOf(X.values));
    const labels = arena.allocate(n);
    labels.set(made.labels);
    const norms = arena.allocate(n);
    rowNorms(X, norms);
    const w = Float64Array.from({ length: d }, (_, j) => Math.sin(j));
    return differenceOf({ X, labels, norms, rows: { from: 0, to: n }, w });
  },
});

/** @type {readonly Case[]} */
export const kernels = [
  difference(200_000, 100),
  difference(100_000, 100),
  difference(10_000, 20),
  differenceOnThreads(200_000, 100),
  differenceOfSparse(100_000, 10_000, 20),
  fullBatch(10_000, 10, 1),
  fullBatch(10_000, 100, 1),
  fullBatch(100_000, 10, 1),
  fullBatch(100_000, 100, 0.85),
  fullBatch(100_000, 100, 0.6, 32),
  plain('margins', 'margins X·w', 'margins', ['dot'], ({ X, w, allRecords, n }) => {
    const out = new Float64Array(n);
    return () => margins(X, w, allRecords, out);
  }),
  plain('accumulation', 'sum of rows Xᵀr', 'accumulation', ['dot'], ({ X, labels, allRecords, d }) => {
    // The reference's coefficients are ½ − [y = 1]: half of our labels, turned.
    const r = labels.map((label) => -label / 2);
    const out = new Float64Array(d);
    return () => accumulate(X, r, allRecords, out.fill(0));
  }),
  plain('row-norms', 'norms of rows', 'norms', ['einsum', 'vecdot'], ({ X, n }) => {
    const out = new Float64Array(n);
    return () => rowNorms(X, out);
  }),
  fullBatch(100_000, 1000, 0.85),
  fullBatch(100_000, 1000, 0.65, 32),
];
