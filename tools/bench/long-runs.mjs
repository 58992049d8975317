/* oxlint-disable no-console -- prints its results */
/**
 * `node --expose-gc tools/bench/long-runs.mjs STEPS…`, after `npm run build`: processor time, memory and
 * bytes of a step of long runs of dp-sgd on one record of ten features, with ledger and transcript in memory
 * or in files.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileStore } from '@lethe/node';
import { makeRecords } from './data.mjs';
import { resultsFolder } from './results.mjs';
import { attach, planDpSgd, runOnce } from './stack.mjs';

const dimension = 10;

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

/**
 * @param {number} steps
 * @param {string | null} folder of ledger and transcript
 */
function row(steps, folder) {
  const paths =
    folder === null ? [] : ['ledger', 'transcript'].map((file) => join(folder, `${steps}.${file}`));
  const [ledger, transcript] = paths.map((path) => fileStore(path, { durable: false }));
  const before = heap();
  const data = attach(makeRecords(1, dimension), ledger === undefined ? {} : { store: ledger });
  const run = planDpSgd(data, { steps, rate: 0.5, stepSize: 0.01 });
  const start = process.cpuUsage();
  runOnce(data, run, transcript === undefined ? {} : { transcript });
  const { user, system } = process.cpuUsage(start);
  const kept = (heap() - before) / steps;
  const bytes = paths.map((path) => (statSync(path).size / steps).toFixed(1));
  console.log(
    `| ${steps} | ${folder === null ? 'memory' : 'files'} | ${(user / steps).toFixed(1)} µs, ` +
      `${(system / steps).toFixed(1)} µs | ${kept.toFixed(1)} B | ${bytes.join(' B, ') || '–'} |`,
  );
  return data;
}

console.log(
  '| steps | kept in | processor time a step: user, system | heap kept a step | ledger, transcript a step |',
);
console.log('| ---: | --- | ---: | ---: | ---: |');
mkdirSync(resultsFolder, { recursive: true });
for (const steps of process.argv.slice(2).map(Number)) {
  row(steps, null);
  const folder = mkdtempSync(join(resultsFolder, 'bench-long-'));
  row(steps, folder);
  rmSync(folder, { recursive: true });
}
