import { milliseconds } from '../case.mjs';
import { recordsOf } from '../data.mjs';
import { timed } from '../measure.mjs';
import { attach, planAcSa, planOnePass, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const n = 1_000_000;
const d = 100;
const rounds = 100;
const stepSize = 1;

/** @type {{ data: import('@lethe/core').DataSet, records: import('../data.mjs').Records } | null} */
let attached = null;

/** Attaching a million rows hashes every byte of them: once is enough. */
function dataSet() {
  const records = recordsOf(n, d);
  if (attached?.records !== records) attached = { records, data: attach(records) };
  return attached.data;
}

const about = { ...milliseconds, of: 'one_pass', forms: ['whole', 'blocks-16', 'blocks-19'], size: { n, d, rounds, stepSize } };

/** @type {readonly Case[]} */
export const onePasses = [
  {
    ...about, name: 'one-pass/stored', what: 'one pass, 1M × 100, 100 disjoint batches in stored order', goal: 0.8,
    prepare() {
      const data = dataSet();
      const run = planOnePass(data, { rounds, stepSize });
      return { run: timed(() => runOnce(data, run)) };
    },
  },
  {
    ...about, name: 'one-pass/noisy-clipped-ac-sa', what: 'noisy-clipped-ac-sa: the same, rows shuffled by secret coins, which numpy’s pass does not do',
    prepare() {
      const data = dataSet();
      const run = planAcSa(data, rounds);
      return { run: timed(() => runOnce(data, run)), dispose() { attached = null; } };
    },
  },
];
