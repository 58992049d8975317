/**
 * Records on disk: `node tools/bench/large.mjs ROWS COLUMNS [FOLDER]`, after a build. Prints how fast they
 * are written, attached and read by whole runs, as a share of reading the file alone just before and after,
 * and the most memory the process had.
 */
import { tmpdir } from 'node:os';
import { numberFile } from '@lethe/node';
import { attachRowsOnDisk, planDpSgd, planOnePass, runOnce } from './stack.mjs';
import { short } from './case.mjs';

const [rows, columns] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4] ?? tmpdir();
if (!(Number.isSafeInteger(rows) && Number.isSafeInteger(columns)))
  throw new Error('give the number of rows, that of columns and, if you like, a folder');
const bytes = 8 * rows * (columns + 1);
const memory = () => `${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB`;

/**
 * @template T
 * @param {string} what
 * @param {() => T} work
 * @param {number} [times] how often all bytes are read
 */
function timed(what, work, times = 1) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const result = work();
  const seconds = (performance.now() - start) / 1e3;
  const { user, system } = process.cpuUsage(cpu);
  const speed = (times * bytes) / 1e9 / seconds;
  console.log(
    `${what}: ${seconds.toFixed(2)} s, ${speed.toFixed(2)} GB/s, ` +
      `processor ${((user + system) / 1e6).toFixed(2)} s, memory ${memory()}`,
  );
  return { result, speed };
}

const features = numberFile({ folder, expected: rows * (columns + 1) });
const labels = numberFile({ folder });
timed(`written, ${short(rows)} × ${columns}`, () => {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  const block = new Float64Array(4096 * columns);
  const signs = new Float64Array(4096);
  for (let from = 0; from < rows; from += 4096) {
    const count = Math.min(4096, rows - from);
    for (let k = 0; k < count * columns; k++) block[k] = next();
    for (let i = 0; i < count; i++) signs[i] = block[i * columns] + next() > 0 ? 1 : -1;
    features.append(block.subarray(0, count * columns));
    labels.append(signs.subarray(0, count));
  }
});
const room = new Float64Array(2 ** 17);
const alone = () =>
  timed('reading alone', () => {
    for (const file of [features, labels])
      for (let at = 0; at < file.length; at += room.length)
        file.read(at, room.subarray(0, Math.min(room.length, file.length - at)));
  }).speed;
/** @param {string} what @param {() => unknown} work @param {number} times */
function share(what, work, times) {
  const before = alone();
  const { speed } = timed(what, work, times);
  const limit = (before + alone()) / 2;
  console.log(`  ${((100 * speed) / limit).toFixed(0)} % of reading alone`);
}

const { result: data } = timed('attached', () => attachRowsOnDisk({ rows, columns, features, labels }));
const rounds = Math.round(Math.sqrt(rows));
const onePass = planOnePass(data, { rounds, stepSize: 0.1 });
share(`one pass, ${rounds} batches in stored order`, () => runOnce(data, onePass), 1);
const full = planOnePass(data, { rounds: 1, stepSize: 0.1 });
share('a full batch', () => runOnce(data, full), 1);
const half = planDpSgd(data, { steps: 1, rate: 0.5, stepSize: 0.1 });
timed('one batch of half the records, drawn', () => runOnce(data, half), 1);
const few = planDpSgd(data, { steps: 20, rate: 256 / rows, stepSize: 0.1 });
timed('20 batches of 256 records, drawn', () => runOnce(data, few), (20 * 256) / rows);
features.close();
labels.close();
