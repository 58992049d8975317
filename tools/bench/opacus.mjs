/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/opacus.mjs [PYTHON [PAIRS]]`, after a build: an epoch of dp-sgd, as `epoch/dp-sgd` has
 * it, against Opacus, by turns. PYTHON (or python3) is one that has Opacus and torch.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { epochs } from './cases/epoch.mjs';
import { spreadOf, warmUpFor } from './measure.mjs';

const [command = 'python3', pairs = '5'] = process.argv.slice(2);
const script = fileURLToPath(new URL('reference/opacus_epoch.py', import.meta.url));
const one = { OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };
const child = spawn(command, ['-B', '-u', script], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...process.env, ...one },
});
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const next = async () => {
  const { value, done } = await lines.next();
  if (done) throw new Error('the process of Opacus ended');
  return String(value);
};
const theirs = async () => {
  child.stdin.write('\n');
  return Number(await next());
};

console.log(await next());
const { run } = (await epochs.find(({ name }) => name === 'epoch/dp-sgd')?.prepare()) ?? {};
if (run === undefined) throw new Error('there is no case epoch/dp-sgd');
await theirs();
const { repeats } = await warmUpFor(run, { nanoseconds: 5e8, warmUp: 1e9 });
const readings = { ours: /** @type {number[]} */ ([]), theirs: /** @type {number[]} */ ([]) };
for (let k = 0; k < Number(pairs); k++) {
  readings.ours.push((await run(repeats)) / repeats / 1e9);
  readings.theirs.push(await theirs());
}
child.stdin.end();
const seconds = (/** @type {number[]} */ values) => `${(1000 * spreadOf(values).median).toFixed(1)} ms`;
const { median, least, most } = spreadOf(readings.theirs.map((their, k) => their / readings.ours[k]));
console.log(
  `ours ${seconds(readings.ours)}, Opacus ${seconds(readings.theirs)}: ` +
    `${median.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)}) times as long`,
);
