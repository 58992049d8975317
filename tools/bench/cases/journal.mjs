import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from '@lethe/core';
import { fileStore } from '@lethe/node';
import { microsecondsEach } from '../case.mjs';
import { makeRecords } from '../data.mjs';
import { resultsFolder } from '../results.mjs';
import { attach, planDpSgd, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('@lethe/core').Store & { close?(): void }} Closable */
/** @typedef {(path: string) => Closable} Open */

const steps = 100;

/**
 * Each reading is a run with a new ledger and, where there are stores, a transcript.
 * @param {string} name
 * @param {string} what
 * @param {Open | null} open
 * @returns {Case}
 */
const kept = (name, what, open) => ({
  name: `journal/${name}`,
  what,
  ...microsecondsEach('query'),
  parts: 3 * steps,
  prepare() {
    mkdirSync(resultsFolder, { recursive: true });
    const folder = mkdtempSync(join(resultsFolder, 'bench-journal-'));
    const records = makeRecords(1, 100);
    let count = 0;
    const once = () => {
      const stores =
        open === null ? [] : ['ledger', 'transcript'].map((file) => open(join(folder, `${count++}.${file}`)));
      const [ledger, transcript] = stores;
      const data = attach(records, ledger === undefined ? {} : { store: ledger });
      const run = planDpSgd(data, { steps, rate: 0.5, stepSize: 0.5 });
      const start = process.hrtime.bigint();
      runOnce(data, run, transcript === undefined ? {} : { transcript });
      const nanoseconds = Number(process.hrtime.bigint() - start);
      for (const store of stores) store.close?.();
      return nanoseconds;
    };
    return {
      run(repeats) {
        let total = 0;
        for (let k = 0; k < repeats; k++) total += once();
        return total;
      },
      dispose: () => rmSync(folder, { recursive: true }),
    };
  },
});

/** @type {readonly Case[]} */
export const journals = [
  kept('none', 'one query, nothing kept', null),
  kept('memory', 'one query, ledger and transcript in memory', () => memoryStore()),
  kept('file', 'one query, ledger and transcript in files, left to the system’s cache', (path) =>
    fileStore(path, { durable: false }),
  ),
  kept('file-durable', 'one query, ledger and transcript in files, each append waits for the disk', (path) =>
    fileStore(path),
  ),
];
