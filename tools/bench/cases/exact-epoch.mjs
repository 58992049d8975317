import { milliseconds } from '../case.mjs';
import { recordsOf } from '../data.mjs';
import { timed } from '../measure.mjs';
import { attach, planDpSgd, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const d = 100;
const batch = 256;
const stepSize = 0.5;

/**
 * The epoch of `epoch/dp-sgd`, in integer arithmetic on a grid.
 * @type {readonly Case[]}
 */
export const exactEpochs = [{ n: 100_000, steps: 391 }].map(({ n, steps }) => ({
  name: 'epoch/dp-sgd-exact',
  what: 'the same epoch with arithmetic: exact, which assumes nothing of floating point',
  ...milliseconds,
  of: 'epoch',
  forms: ['choice'],
  size: { n, d, steps, batch, stepSize },
  prepare() {
    const data = attach(recordsOf(n, d));
    const run = planDpSgd(data, { steps, rate: batch / n, stepSize, arithmetic: 'exact' });
    return { run: timed(() => runOnce(data, run)) };
  },
}));
