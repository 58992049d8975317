/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/machine.mjs [PAIRS]`: how much more two threads of this machine do than one, in loops
 * that share nothing: arithmetic in registers, reading memory that no cache holds, and short-lived objects.
 * No program gains more from a second thread with the same work. Prints the median ratio of PAIRS pairs of
 * readings, with the least and the most; and how long the slowest reading of one thread was over the
 * fastest, which on a quiet machine tells what other users of the same processors take away.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { spreadOf } from './measure.mjs';

/** @typedef {'arithmetic' | 'memory' | 'objects'} Work */

/** @type {Float64Array | undefined} */
let numbers;

/** A tenth of a second of work, or somewhat more. @type {Record<Work, () => number>} */
const loops = {
  arithmetic() {
    let [a, b, c, d] = [1, 2, 3, 4];
    for (let i = 0; i < 6e7; i++) {
      a = a * 0.999 + 1e-3;
      b = b * 0.998 + 2e-3;
      c = c * 0.997 + 3e-3;
      d = d * 0.996 + 4e-3;
    }
    return a + b + c + d;
  },
  memory() {
    numbers ??= new Float64Array(2 ** 24).fill(1);
    let sum = 0;
    // One number of each line of memory.
    for (let pass = 0; pass < 8; pass++)
      for (let i = pass; i < numbers.length; i += 8) sum += numbers[i] ?? 0;
    return sum;
  },
  objects() {
    let kept = { value: 0, before: /** @type {object | null} */ (null) };
    for (let i = 0; i < 2e7; i++) kept = { value: kept.value + i, before: i % 64 === 0 ? null : kept };
    return kept.value;
  },
};

if (!isMainThread) {
  parentPort?.on('message', (/** @type {Work} */ work) => parentPort?.postMessage(loops[work](), []));
} else {
  const pairs = Number(process.argv[2] ?? 9);
  const workers = [0, 1].map(() => new Worker(fileURLToPath(import.meta.url)));
  /** Seconds that the first `count` workers take, each for all of the work. @param {Work} work @param {number} count */
  const seconds = async (work, count) => {
    const start = performance.now();
    await Promise.all(
      workers.slice(0, count).map((worker) => {
        const done = once(worker, 'message');
        worker.postMessage(work, []);
        return done;
      }),
    );
    return (performance.now() - start) / 1e3;
  };
  for (const work of /** @type {Work[]} */ (Object.keys(loops))) {
    await seconds(work, 2);
    const ratios = [];
    const alone = [];
    for (let k = 0; k < pairs; k++) {
      const one = await seconds(work, 1);
      alone.push(one);
      ratios.push((2 * one) / (await seconds(work, 2)));
    }
    const { median, least, most } = spreadOf(ratios);
    console.log(
      `${work}: ${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)}) times the work of one, ` +
        `which took up to ${(Math.max(...alone) / Math.min(...alone)).toFixed(2)} times its least time`,
    );
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
}
