/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/prefix-sums.mjs`, after `npm run build`: error and memory of every prefix sum, as
 * Markdown. Errors are exact, not measured: the standard deviation of a running sum at noise multiplier 1 and
 * increments of sensitivity 1, at equal privacy.
 */
import { leastPossibleErrors, prefixSumErrors } from '@lethe/mechanisms';
import { prefixSumsFor } from './prefix-sum-parts.mjs';

/** @typedef {import('@lethe/core').Participation} Participation */

const lengths = [1e3, 1e4, 1e5, 1e6];
const baseline = 'independent-increments';
const digits = (/** @type {number} */ value) => {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};
const row = (/** @type {readonly string[]} */ cells) => console.log(`| ${cells.join(' | ')} |`);

/**
 * @param {string} title
 * @param {(steps: number) => Participation} participation
 */
function errors(title, participation) {
  console.log(
    `\n${title}: largest error / root of the mean of squares, and in brackets how often the largest goes ` +
      `into that of fresh noise on increments\n`,
  );
  row(['prefix sum', ...lengths.map((steps) => `T = ${steps}`)]);
  row(['---', ...lengths.map(() => '---:')]);
  /** @type {Map<string, string[]>} */
  const cells = new Map();
  for (const steps of lengths) {
    const shape = { steps, dimension: 1 };
    let fresh = NaN;
    for (const { name, plugin, params } of prefixSumsFor(steps, participation(steps))) {
      const list = cells.get(name) ?? [];
      cells.set(name, list);
      const start = performance.now();
      const { max, mean } = prefixSumErrors(plugin, params, shape, participation(steps));
      const seconds = (performance.now() - start) / 1000;
      if (seconds > 1) console.error(`${name}, ${steps} steps: ${seconds.toFixed(1)} s`);
      if (name === baseline) fresh = max;
      list.push(`${digits(max)} / ${digits(mean)} (${digits(fresh / max)})`);
    }
  }
  for (const [name, list] of cells) row([name, ...list]);
  if (participation(10).times > 1) return;
  const least = lengths.map(leastPossibleErrors);
  row([
    '*least possible, between*',
    ...least.map(
      ({ max, mean }) =>
        `${digits(max.lower)}–${digits(max.upper)} / ${digits(mean.lower)}–${digits(mean.upper)}`,
    ),
  ]);
}

errors('One participation', () => ({ times: 1, gap: 1 }));
errors('Ten epochs', (steps) => ({ times: 10, gap: steps / 10 }));

const shape = { steps: 1e6, dimension: 1e4 };
const seen = 4096;
console.log(
  `\nMemory of ${shape.steps} steps in dimension ${shape.dimension}: array buffers after ${seen} steps, ` +
    `more than before; and what the plugin says a whole run keeps\n`,
);
row(['prefix sum', 'MB held', 'vectors said', 'MB said']);
row(['---', '---:', '---:', '---:']);
for (const { name, plugin, params } of prefixSumsFor(shape.steps)) {
  const out = new Float64Array(shape.dimension);
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const run = plugin.begin(params, shape);
  const steps = name === 'square-root-toeplitz' ? 64 : seen;
  let most = 0;
  for (let step = 0; step < steps; step++) {
    run.nextInto(out, (k, into) => {
      into.fill(k);
    });
    if (step % 64 === 63) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  const vectors = plugin.vectorsKept?.(params, shape);
  row([
    name,
    (most / 1e6).toFixed(2),
    vectors === undefined ? '–' : String(vectors),
    vectors === undefined ? '–' : ((vectors * shape.dimension * 8) / 1e6).toFixed(2),
  ]);
}
