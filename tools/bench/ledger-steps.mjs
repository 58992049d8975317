import { clippedMeanEvent, memoryStore, openLog, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';

/** @typedef {import('@lethe/curator').Entry} Entry */
/** @typedef {import('@lethe/core').Store} Store */

const adjacency = 'zero-out';
const run = 'r';
const slots = 1000;
const rate = 0.01;
const all = { space: 'all', from: 0, to: slots };
const sampler = /** @type {const} */ ({ kind: 'core/poisson', rate });
const root = seededRandom('bench');
const event = clippedMeanEvent(1.1, adjacency);

/**
 * The three ledger entries of steps that draw a batch, ask for its mean and close it.
 * @param {number} steps
 * @returns {readonly Entry[]}
 */
export const entriesOf = (steps) =>
  Array.from({ length: 3 * steps }, (_, index) => {
    const id = `${run}/${index - (index % 3)}`;
    const stretch = { space: id, from: 0, to: 1 };
    /** @type {readonly Entry['effect'][]} */
    const effects = [
      {
        closes: [],
        space: {
          id,
          how: 'sample',
          parent: 'everyone',
          within: all,
          sampler,
          recipe: {
            by: 'sample',
            sampler: { kind: 'sampler', name: 'poisson', params: { rate } },
            hidden: true,
          },
        },
        batches: [{ id, stretch, normaliser: slots * rate, size: 'hidden', scope: id }],
      },
      { charge: { on: stretch, event } },
      { closes: [id] },
    ];
    return {
      run,
      index,
      digest: Array.from({ length: 4 }, (_word, k) =>
        (Math.imul(index + 1, 0x9e3779b1 + 2 * k) >>> 0).toString(16).padStart(8, '0'),
      ).join(''),
      effect: effects[index % 3],
    };
  });

/** @param {Store} store */
export const reopen = (store) => openLedger({ adjacency, store });

/**
 * A ledger with these entries.
 * @param {readonly Entry[]} entries
 * @param {Store} store
 */
export function append(entries, store) {
  const ledger = reopen(store);
  ledger.openRun(run, root);
  for (const entry of entries) ledger.append(entry);
  return ledger;
}

/**
 * The bytes of such a ledger with the largest uncompacted part: just before its last compaction.
 * @param {readonly Entry[]} entries
 */
export function leastCompacted(entries) {
  const inner = memoryStore();
  let bytes = new Uint8Array();
  append(entries, {
    ...inner,
    replace(next) {
      bytes = new Uint8Array(inner.read());
      inner.replace(next);
    },
  });
  return bytes;
}

/**
 * The bytes of the same ledger in version 1, with one line per entry.
 * @param {readonly Entry[]} entries
 */
export function plain(entries) {
  const store = memoryStore();
  const log = openLog(store, { magic: 'lethe-ledger' });
  log.append({ t: 'ledger', v: 1, adjacency, key: root.key() });
  log.append({ t: 'run', run, key: root.key(), kind: root.kind });
  for (const entry of entries) log.append({ t: 'entry', ...entry });
  return store.read();
}
