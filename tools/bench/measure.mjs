/**
 * One side of a comparison: does its work `repeats` times and returns the time in nanoseconds.
 * @typedef {(repeats: number) => number | Promise<number>} Runner
 */
/** @typedef {{ readonly median: number, readonly least: number, readonly most: number }} Spread */

/**
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
  return { median, least: sorted[0], most: sorted[sorted.length - 1] };
}

/**
 * What readings are of: time on the clock, or processor time of the whole process, which other processes
 * affect less. Set once, before the first reading; the reference reads `LETHE_BENCH_CLOCK`.
 */
const processorTime = process.env['LETHE_BENCH_CLOCK'] === 'processor';

/** Nanoseconds since some fixed time. */
function now() {
  if (!processorTime) return Number(process.hrtime.bigint());
  const { user, system } = process.cpuUsage();
  return 1000 * (user + system);
}

/**
 * A runner in this process.
 * @param {() => unknown} once
 * @returns {Runner}
 */
export const timed = (once) => (repeats) => {
  const start = now();
  for (let k = 0; k < repeats; k++) once();
  return now() - start;
};

/**
 * The same for asynchronous work.
 * @param {() => Promise<unknown>} once
 * @returns {Runner}
 */
export const timedAsync = (once) => async (repeats) => {
  const start = now();
  for (let k = 0; k < repeats; k++) await once();
  return now() - start;
};

const settledAfter = 30; // runs

/**
 * Warms up the compilers, and finds the number of repeats for one reading of sufficient length.
 * @param {Runner} run
 * @param {{ readonly nanoseconds: number, readonly warmUp: number }} lengths of a reading, and of the warm-up at least; it may
 * take four times as long to come to 30 runs
 * @returns {Promise<{ readonly repeats: number, readonly first:
 * number }>} `first`: nanoseconds of the very first run
 */
export async function warmUpFor(run, { nanoseconds, warmUp }) {
  const first = await run(1);
  let least = first;
  let total = first;
  for (let runs = 1; total < warmUp || (runs < settledAfter && total < 4 * warmUp); runs++) {
    const once = await run(1);
    least = Math.min(least, once);
    total += once;
  }
  return { repeats: Math.max(1, Math.round(nanoseconds / least)), first };
}

/**
 * Warms up by a number of runs.
 * @param {Runner} run
 * @param {{ readonly warmUp: number, readonly reading: number }} runs of the warm-up, and of a reading
 * @returns {Promise<{ readonly repeats: number, readonly first: number }>} as {@link warmUpFor}
 */
export async function warmUpBy(run, { warmUp, reading }) {
  const first = await run(1);
  await run(warmUp - 1);
  return { repeats: reading, first };
}

/**
 * Measures all runners alternately, A B A B …, so that other load affects all of them alike.
 * @param {readonly Runner[]} runners
 * @param {number} repeats
 * @param {number} pairs
 * @returns {Promise<number[][]>} for each runner its readings, in nanoseconds a repetition
 */
export async function interleave(runners, repeats, pairs) {
  for (const run of runners) await run(1);
  /** @type {number[][]} */
  const readings = runners.map(() => []);
  for (let pair = 0; pair < pairs; pair++) {
    for (const [k, run] of runners.entries()) readings[k].push((await run(repeats)) / repeats);
  }
  return readings;
}

/**
 * Our readings against the fastest form of the reference, by its median. `atBest` compares the least reading
 * of each side, which other load affects least.
 * @param {readonly number[]} ours
 * @param {readonly (readonly number[])[]} theirs one list for each form
 */
export function compare(ours, theirs) {
  const medians = theirs.map((readings) => spreadOf(readings).median);
  const fastest = medians.indexOf(Math.min(...medians));
  const ratio = spreadOf(ours.map((reading, k) => reading / theirs[fastest][k]));
  return { fastest, ratio, atBest: Math.min(...ours) / Math.min(...theirs.flat()) };
}
