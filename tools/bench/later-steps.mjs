/* oxlint-disable no-console -- prints its results */
/**
 * `node --expose-gc tools/bench/later-steps.mjs STEPS…`, after `npm run build`: processor time to open a
 * ledger that holds so many steps of one run, and of a step that follows them, without running them first.
 */
import { memoryStore, openLog, secureRandom } from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip, mechanisms, poisson } from '@lethe/mechanisms';
import { makeRecords } from './data.mjs';
import { attach } from './stack.mjs';

const dimension = 10;
const records = makeRecords(1, dimension);
const registry = [...mechanisms, ...losses];
const sampler = poisson({ rate: 0.5 });
const mean = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
const kind = { magic: 'lethe-ledger' };
const digestSize = 16;
/** Digests that one record of a ledger holds at most. */
const mostInRecord = 2 ** 20;

/** @param {import('@lethe/core').Store} store */
const open = (store) =>
  centralCurator({ data: attach(records, { store }), registry, run: 'long', random: secureRandom() });

/**
 * @param {ReturnType<typeof open>} curator
 * @param {number} from
 * @param {number} count
 */
function ask(curator, from, count) {
  const at = new Float64Array(dimension);
  for (let k = from; k < from + count; k++) {
    at[0] = Math.sin(k);
    const of = { terms: [{ weight: 1, at }] };
    const target = { noiseMultiplier: 1 };
    curator.answer(k, { ask: 'mean', of, batch: curator.allRecords, sampler, mean, target });
  }
}

/** Microseconds of this process so far. */
const clock = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** The records of a compacted ledger of few steps: the last holds them all. */
function compacted() {
  const store = memoryStore();
  ask(open(store), 0, 6000);
  open(store);
  return openLog(store, kind).records;
}

/**
 * The same ledger with `steps` steps, whose digests are made up.
 * @param {readonly unknown[]} lines
 * @param {number} steps
 */
function lengthened(lines, steps) {
  const store = memoryStore();
  const log = openLog(store, kind);
  for (const line of lines.slice(0, -1)) log.append(line);
  for (let index = 0; index < steps;) {
    const times = Math.min(mostInRecord, steps - index);
    const digests = new Uint8Array(digestSize * times).map((_, i) => Math.imul(i + index, 0x9e3779b1) >>> 24);
    log.append({ .../** @type {object} */ (lines.at(-1)), digests, index, times });
    index += times;
  }
  return store;
}

const lines = compacted();
console.log('| steps | size | opening | a step: least, median of ten times 2000 |');
console.log('| ---: | ---: | ---: | ---: |');
for (const steps of process.argv.slice(2).map(Number)) {
  const store = lengthened(lines, steps);
  globalThis.gc?.();
  const start = clock();
  const curator = open(store);
  const opening = clock() - start;
  ask(curator, steps, 1000);
  const times = Array.from({ length: 10 }, (_, k) => {
    const before = clock();
    ask(curator, steps + 1000 + 2000 * k, 2000);
    return (clock() - before) / 2000;
  }).toSorted((a, b) => a - b);
  console.log(
    `| ${steps} | ${(store.read().length / 1e6).toFixed(1)} MB | ${(opening / 1e3).toFixed(0)} ms ` +
      `| ${times[0].toFixed(1)} µs, ${times[5].toFixed(1)} µs |`,
  );
}
