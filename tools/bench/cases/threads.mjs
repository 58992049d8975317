import { setTimeout as sleep } from 'node:timers/promises';
import { clippedGradient } from '@lethe/numerics';
import { milliseconds, short } from '../case.mjs';
import { makeRecords, recordsOf } from '../data.mjs';
import { labModule } from '../lab.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('../data.mjs').Records} Records */
/** @typedef {(arena: import('@lethe/numerics').Arena, size: number) => import('@lethe/numerics').WorkerPool} ThreadTeam */

const untilWorkersWait = 500;

/** @param {Records} records */
function gradientOf({ X, labels, norms, allRecords, w, d }) {
  const out = new Float64Array(d);
  return () =>
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
}

/**
 * @param {number} n
 * @param {number} d
 * @param {Partial<Case> & Pick<Case, 'name' | 'what'>} about
 * @returns {Case}
 */
const shared = (n, d, about) => ({
  ...milliseconds,
  ...about,
  async prepare() {
    /** @type {{ readonly threadPool: ThreadTeam } | null} */
    const pool = await labModule('threads/worker-threads.js');
    if (pool === null) return { skipped: 'the thread pool of @lethe/lab is not built' };
    const alone = recordsOf(n, d);
    // An arena has one team at most, for good: the records that two threads share are others.
    const together = makeRecords(n, d);
    const workerPool = pool.threadPool(together.arena, 2);
    await sleep(untilWorkersWait);
    const once = gradientOf(together);
    return {
      run: timed(once),
      other: timed(gradientOf(alone)),
      check: once,
      dispose: () => workerPool.close(),
    };
  },
});

/**
 * @param {number} n
 * @param {number} d
 */
const againstOne = (n, d) =>
  shared(n, d, {
    name: `threads/gradient-${short(n)}x${d}`,
    what: `clipped logistic gradient, ${short(n)} × ${d}, two threads against one`,
    against: 'one thread',
    goal: 1,
  });

/** @type {readonly Case[]} */
export const threads = [
  againstOne(100_000, 10),
  againstOne(100_000, 100),
  shared(100_000, 100, {
    name: 'threads/numpy-blas',
    what: 'the same, two threads, against numpy with two BLAS threads',
    of: 'gradient',
    forms: ['whole', 'blocks-19', 'blocks-21'],
    size: { n: 100_000, d: 100 },
    threads: 2,
    goal: 0.9,
  }),
  shared(100_000, 100, {
    name: 'threads/numpy-pool',
    what: 'the same, two threads, against numpy with its rows shared by two Python threads',
    of: 'gradient',
    forms: ['pool-17', 'pool-19'],
    size: { n: 100_000, d: 100 },
    goal: 0.9,
  }),
  againstOne(100_000, 1000),
];
