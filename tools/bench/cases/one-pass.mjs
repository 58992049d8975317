import { setTimeout as sleep } from 'node:timers/promises';
import { secureRandom } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { clippedGradient, rowNorms } from '@lethe/numerics';
import { milliseconds } from '../case.mjs';
import { makeRecords, recordsOf } from '../data.mjs';
import { labModule } from '../lab.mjs';
import { timed } from '../measure.mjs';
import { prefixSumsFor } from '../prefix-sum-parts.mjs';
import { attach, planAcSa, planOnePass, planRecursive, planRecursiveByDefault, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('../data.mjs').Records} Records */
/** @typedef {import('@lethe/curator').DataSet} DataSet */
/** @typedef {{ readonly records: Records, readonly data: DataSet, readonly close: () => void }} Attached */

const n = 1_000_000;
const d = 100;
const rounds = 100;
const stepSize = 1;
const untilWorkersWait = 500;

/** @type {(Attached & { readonly threads: number }) | null} */
let attached = null;

/**
 * Attaching a million rows hashes every byte, so it is done once per number of threads and precision.
 * @param {number} threads
 * @param {32 | 64} [precision] bits of a feature
 * @returns {Promise<Attached | null>} null without threads
 */
async function attachedFor(threads, precision = 64) {
  if (attached?.threads === threads && attached.records.precision === precision) return attached;
  attached?.close();
  attached = null;
  const pool = threads === 1 ? null : await labModule('threads/worker-threads.js');
  if (threads !== 1 && pool === null) return null;
  // An arena has one team at most, for good: the records that two threads share are others.
  const records = threads === 1 ? recordsOf(n, d, precision) : makeRecords(n, d, precision);
  const workerPool = pool?.threadPool(records.arena, threads);
  attached = { records, threads, data: attach(records), close: () => workerPool?.close() };
  if (pool !== null) await sleep(untilWorkersWait);
  return attached;
}

/**
 * @param {(data: DataSet) => import('@lethe/core').Run} plan
 * @param {number} [threads]
 * @param {32 | 64} [precision]
 * @returns {Case['prepare']}
 */
const onePass =
  (plan, threads = 1, precision = 64) =>
  async () => {
    const given = await attachedFor(threads, precision);
    if (given === null) return { skipped: 'the thread pool of @lethe/lab is not built' };
    const {
      records: { X },
      data,
    } = given;
    const run = plan(data);
    const norms = new Float64Array(n);
    return {
      run: timed(() => runOnce(data, run)),
      other: timed(() => {
        for (let k = 0; k < 2; k++) rowNorms(X, norms);
      }),
    };
  };

const about = {
  ...milliseconds,
  of: 'one_pass',
  forms: ['whole', 'blocks-16', 'blocks-17', 'blocks-19'],
  size: { n, d, rounds, stepSize },
};
const stored = (/** @type {DataSet} */ data) => planOnePass(data, { rounds, stepSize });

/**
 * A lower limit for an epoch: reading every feature twice with
 * one thread, by numpy or by our loop, whichever is faster.
 */
const readTwice = {
  ...milliseconds,
  of: 'reading',
  forms: ['sum', 'squares', 'product'],
  against: 'our row norms',
  size: { n, d, times: 2 },
  goal: 1.2,
};
const epoch = (
  /** @type {'stored' | 'shuffled'} */ order,
  threads = 1,
  /** @type {32 | 64} */ precision = 64,
) => onePass((data) => planAcSa(data, rounds, order), threads, precision);
const read = 'against reading every feature twice';

/** Rounds of runs on recursive gradients, each on a batch of a thousand records. */
const recursiveRounds = 1000;
/** Prefix sums whose noise is said to be a small share of a run. */
const cheap = ['binary-tree', 'honaker-full', 'buffered-linear-toeplitz', 'restarting'];
/** @param {string} name */
function prefixSumNamed(name) {
  const found = prefixSumsFor(recursiveRounds).find((part) => part.name === name);
  if (found === undefined) throw new Error(`there is no prefix sum '${name}'`);
  return found;
}

/** @param {import('../data.mjs').Records} records */
const gradientsOnce = ({ X, labels, norms, w }) => {
  const size = n / recursiveRounds;
  const out = new Float64Array(d);
  return () => {
    for (let from = 0; from < n; from += size)
      clippedGradient({
        X,
        labels,
        norms,
        w,
        rows: { from, to: from + size },
        radius: 1,
        slope: 'logistic',
        out: out.fill(0),
      });
  };
};

/**
 * A run on recursive gradients, which takes almost two gradients of each record, against one gradient of
 * each.
 * @param {string} name
 * @param {{ readonly goal?: number }} [judged]
 * @returns {Case}
 */
const recursiveRun = (name, judged = { goal: 2.3 }) => ({
  ...milliseconds,
  ...judged,
  name: `one-pass/recursive-${name}`,
  what: `accelerated-dp-srgd, ${recursiveRounds} rounds, noise of ${name}`,
  against: 'clipped gradients, once',
  async prepare() {
    const given = await attachedFor(1);
    if (given === null) return { skipped: 'records are not attached' };
    const { records, data } = given;
    const run = planRecursive(data, recursiveRounds, prefixSumNamed(name));
    return { run: timed(() => runOnce(data, run)), other: timed(gradientsOnce(records)) };
  },
});

/**
 * The noise of the same run alone, with secure randomness, against the whole run.
 * @param {string} name
 * @returns {Case}
 */
const recursiveNoise = (name) => ({
  ...milliseconds,
  name: `one-pass/recursive-noise-${name}`,
  what: `noise of ${recursiveRounds} rounds by ${name}`,
  against: 'the whole run',
  goal: 0.1,
  async prepare() {
    const given = await attachedFor(1);
    if (given === null) return { skipped: 'records are not attached' };
    const { data } = given;
    const { plugin, params } = prefixSumNamed(name);
    const run = planRecursive(data, recursiveRounds, { name, params });
    const out = new Float64Array(d);
    const noise = () => {
      const rows = secureRandom().fork('rows');
      const stream = plugin.begin(params, { steps: recursiveRounds, dimension: d });
      for (let t = 0; t < recursiveRounds; t++)
        stream.nextInto(out, (row, into) => {
          gaussian.addNoise({}, into.fill(0), 1, rows.fork(row));
        });
    };
    return { run: timed(noise), other: timed(() => runOnce(data, run)) };
  },
});

/**
 * The whole run by the default plan, which chooses rounds, step and clip norm.
 * @type {Case}
 */
const recursiveByDefault = {
  ...milliseconds,
  name: 'one-pass/recursive-default',
  what: 'accelerated-dp-srgd by its default plan',
  against: 'clipped gradients, once',
  goal: 2.3,
  async prepare() {
    const given = await attachedFor(1);
    if (given === null) return { skipped: 'records are not attached' };
    const { records, data } = given;
    const run = planRecursiveByDefault(data);
    return { run: timed(() => runOnce(data, run)), other: timed(gradientsOnce(records)) };
  },
};

/** @type {readonly Case[]} */
export const onePasses = [
  recursiveByDefault,
  ...cheap.flatMap((name) => [recursiveRun(name), recursiveNoise(name)]),
  // Each step takes as many vectors as there were steps before.
  recursiveRun('square-root-toeplitz', {}),
  {
    ...about,
    name: 'one-pass/stored',
    what: 'one pass, 1M × 100, 100 disjoint batches in stored order',
    goal: 0.75,
    prepare: onePass(stored),
  },
  {
    ...about,
    name: 'one-pass/noisy-clipped-ac-sa',
    what: 'noisy-clipped-ac-sa: the same, rows shuffled by secret coins, which numpy’s pass does not do',
    goal: 1.7,
    prepare: epoch('shuffled'),
  },
  {
    ...about,
    name: 'one-pass/stored-32-bits',
    what: 'one pass in stored order, with rows of 32 bits',
    goal: 0.55,
    prepare: onePass(stored, 1, 32),
  },
  {
    ...about,
    name: 'one-pass/noisy-clipped-ac-sa-32-bits',
    what: 'noisy-clipped-ac-sa, shuffled, with rows of 32 bits',
    goal: 1.25,
    prepare: epoch('shuffled', 1, 32),
  },
  {
    ...readTwice,
    name: 'one-pass/ac-sa-stored-reading',
    what: `noisy-clipped-ac-sa, stored order, ${read}`,
    prepare: epoch('stored'),
  },
  {
    ...readTwice,
    name: 'one-pass/ac-sa-shuffled-reading',
    what: `noisy-clipped-ac-sa, shuffled, ${read}`,
    prepare: epoch('shuffled'),
  },
  {
    ...about,
    name: 'one-pass/stored-threads',
    what: 'one pass in stored order, two threads, against numpy with one',
    goal: 0.8,
    prepare: onePass(stored, 2),
  },
  {
    ...about,
    forms: ['pool-16', 'pool-17', 'pool-19'],
    name: 'one-pass/stored-threads-pool',
    what: 'the same, two threads, against numpy with the rows of a batch shared by two Python threads',
    prepare: onePass(stored, 2),
  },
  {
    ...readTwice,
    name: 'one-pass/ac-sa-stored-threads-reading',
    what: `noisy-clipped-ac-sa, stored order, two threads, ${read} with one`,
    prepare: epoch('stored', 2),
  },
  {
    ...readTwice,
    name: 'one-pass/ac-sa-shuffled-threads-reading',
    what: `noisy-clipped-ac-sa, shuffled, two threads, ${read} with one`,
    async prepare() {
      const prepared = await epoch('shuffled', 2)();
      return {
        ...prepared,
        dispose() {
          attached?.close();
          attached = null;
        },
      };
    },
  },
];
