/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/replay.mjs ROWS COLUMNS STEPS BATCH [EVERY]`, after `npm run build`: processor time of a
 * run of dp-sgd with a transcript in memory, and of the same run resumed after its end, in pairs. `EVERY`:
 * answers between checkpoints; by default none, so that every answer is replayed.
 */
import { driveSync, memoryStore, secureRandom, seededRandom } from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { makeRecords } from './data.mjs';
import { attach, planDpSgd } from './stack.mjs';

const pairs = 9;
const registry = [...mechanisms, ...losses];
const [rows, columns, steps, batch, every = Infinity] = process.argv.slice(2).map(Number);
const data = attach(makeRecords(rows, columns));
const run = planDpSgd(data, { steps, rate: batch / Math.max(2, rows), stepSize: 0.01 });

/**
 * @param {string} name
 * @param {import('@lethe/core').Store} transcript
 */
function timed(name, transcript) {
  const start = process.cpuUsage();
  driveSync(run, centralCurator({ data, registry, run: name, random: secureRandom() }), {
    start: new Float64Array(columns),
    random: seededRandom('bench/replay'),
    transcript,
    checkpointEvery: every,
  });
  const { user, system } = process.cpuUsage(start);
  return (user + system) / steps;
}

const found = Array.from({ length: pairs }, (_, k) => {
  const transcript = memoryStore();
  const first = timed(`replayed-${k}`, transcript);
  return { first, again: timed(`replayed-${k}`, transcript) };
});
const ratios = found.map(({ first, again }) => first / again).toSorted((a, b) => a - b);
const least = (/** @type {'first' | 'again'} */ side) =>
  Math.min(...found.map((pair) => pair[side])).toFixed(1);
console.log(
  `a step ${least('first')} µs, replayed ${least('again')} µs; ratio ${ratios[pairs >> 1].toFixed(1)} ` +
    `(${ratios[0].toFixed(1)}–${ratios[pairs - 1].toFixed(1)})`,
);
