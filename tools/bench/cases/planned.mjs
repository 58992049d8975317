import { accountants, bestOf } from '@lethe/accountants';
import { microsecondsEach } from '../case.mjs';
import { recordsOf } from '../data.mjs';
import { timed } from '../measure.mjs';
import { attach, planDpSgd, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const d = 100;
const steps = 300;
const stepSize = 0.5;
/** So large that the readings never reach it. */
const limit = { epsilon: 1e6, delta: 1e-6, accountant: bestOf(accountants) };

/**
 * The same run on a ledger with a limit and a reservation for its plan, and on one without.
 * @param {string} name
 * @param {string} what
 * @param {number} n
 * @param {number} rate
 * @returns {Case}
 */
const planned = (name, what, n, rate) => ({
  name: `limits/planned-${name}`,
  what,
  ...microsecondsEach('step'),
  parts: steps,
  against: 'no limit',
  goal: 1.2,
  prepare() {
    const records = recordsOf(n, d);
    const limited = attach(records, { limit });
    const free = attach(records);
    const run = planDpSgd(free, { steps, rate, stepSize });
    return {
      run: timed(() => runOnce(limited, run, { planned: run.plan.event })),
      other: timed(() => runOnce(free, run)),
    };
  },
});

/** @type {readonly Case[]} */
export const plannedRuns = [
  planned(
    'dp-sgd',
    '300 steps of dp-sgd, about 256 records of 10k × 100 each, under a limit and without one',
    10_000,
    0.0256,
  ),
  planned('stack', 'the same with one record in all: what curator, ledger and driver cost', 1, 0.0256),
];
