/* oxlint-disable no-console -- prints its results */
/**
 * `node --expose-gc tools/bench/recursive-memory.mjs`, after `npm run build`: what a stream of running sums
 * holds over a whole run of 10⁵ steps in dimension 100, and processor time of a step with its noise. Rows of
 * noise are normal; what they are drawn from is not counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { secureRandom } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { prefixSumsFor } from './prefix-sum-parts.mjs';

const dimension = 100;
const lengths = [1e3, 1e4, 1e5];
/** Holds all earlier rows by definition, and takes a minute for them. */
const left = 'square-root-toeplitz';
const vector = 8 * dimension;

console.log(
  `| prefix sum | ${lengths.map((steps) => `T = ${steps}: vectors held, µs a step`).join(' | ')} |`,
);
console.log(`| --- |${lengths.map(() => ' ---: |').join('')}`);
for (const { name } of prefixSumsFor(1)) {
  if (name === left) continue;
  /** @type {string[]} */
  const cells = [];
  for (const steps of lengths) {
    const found = prefixSumsFor(steps).find((part) => part.name === name);
    if (found === undefined) throw new Error(`there is no prefix sum '${name}'`);
    const out = new Float64Array(dimension);
    await settled();
    const before = process.memoryUsage().arrayBuffers;
    const rows = secureRandom().fork('rows');
    const run = found.plugin.begin(found.params, { steps, dimension });
    let [most, microseconds] = [0, 0];
    const part = steps / 20;
    for (let step = 0; step < steps; step += part) {
      const start = process.cpuUsage();
      for (let k = 0; k < part; k++)
        run.nextInto(out, (row, into) => {
          gaussian.addNoise({}, into.fill(0), 1, rows.fork(row));
        });
      const { user, system } = process.cpuUsage(start);
      microseconds += user + system;
      await settled();
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    cells.push(`${Math.ceil(most / vector)}, ${(microseconds / steps).toFixed(1)}`);
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
