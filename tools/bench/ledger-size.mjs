/* oxlint-disable no-console -- prints its results */
/**
 * `node --expose-gc tools/bench/ledger-size.mjs`, after `npm run build`: bytes of a ledger of dp-sgd on disk
 * and in memory, and the processor time to open it.
 */
import { memoryStore } from '@lethe/core';
import { append, entriesOf, leastCompacted, plain, reopen } from './ledger-steps.mjs';

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

/**
 * @param {string} name
 * @param {number} steps
 * @param {Uint8Array} bytes
 */
function row(name, steps, bytes) {
  const store = memoryStore(bytes);
  const before = heap();
  const start = process.cpuUsage();
  const ledger = reopen(store);
  const { user, system } = process.cpuUsage(start);
  console.log(
    `| ${name} | ${steps} | ${(bytes.length / steps).toFixed(0)} | ${((user + system) / 1e3).toFixed(0)} ` +
      `| ${(heap() - before).toFixed(1)} | ` +
      `${ledger.openRun('r', /** @type {never} */ (undefined)).entries.length} |`,
  );
}

console.log(
  '| ledger | steps | bytes a step | opening, ms of processor time | heap afterwards, ' +
    'MiB | entries |\n| --- | ---: | ---: | ---: | ---: | ---: |',
);
reopen(memoryStore(plain(entriesOf(2000))));
for (const steps of [1e4, 1e5]) {
  const entries = entriesOf(steps);
  const store = memoryStore();
  append(entries, store).endRun('r');
  row('just before a compaction', steps, leastCompacted(entries));
  row('of a run that has ended', steps, store.read());
  row('version 1, compacted as it is opened', steps, plain(entries));
}
