import { memoryStore, openLog } from '@lethe/core';
import { microsecondsEach, milliseconds, short } from '../case.mjs';
import { append, entriesOf, leastCompacted, plain, reopen } from '../ledger-steps.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

/**
 * @param {number} steps
 * @param {boolean} compared with a ledger in which every entry is a line
 * @returns {Case}
 */
const reopening = (steps, compared) => ({
  name: `ledger/reopen-${short(steps)}`,
  ...milliseconds,
  what:
    `opening a ledger of ${short(steps)} steps of dp-sgd just before it is ` +
    `compacted${compared ? ', against one of version 1' : ''}`,
  ...(compared ? { against: 'every entry a line', goal: 0.2 } : {}),
  prepare() {
    const entries = entriesOf(steps);
    const bytes = leastCompacted(entries);
    const lines = compared ? plain(entries) : null;
    return {
      run: timed(() => reopen(memoryStore(bytes))),
      ...(lines === null ? {} : { other: timed(() => reopen(memoryStore(lines))) }),
    };
  },
});

const steps = 10_000;
/** @type {Case} */
const appending = {
  name: 'ledger/append',
  ...microsecondsEach('step'),
  parts: steps,
  what:
    'three entries of a step of dp-sgd appended to a ledger in memory, compactions included, ' +
    'against the lines of version 1 alone, without any account',
  against: 'bare lines',
  prepare() {
    const entries = entriesOf(steps);
    return {
      run: timed(() => append(entries, memoryStore())),
      other: timed(() => {
        const log = openLog(memoryStore(), { magic: 'lethe-ledger' });
        for (const entry of entries) log.append({ t: 'entry', ...entry });
      }),
    };
  },
};

/** @type {readonly Case[]} */
export const ledgers = [appending, reopening(10_000, true), reopening(100_000, false)];
