import { accountants, bestOf } from '@lethe/accountants';
import { clippedGradient, encode, keyedHash128, poissonSample } from '@lethe/numerics';
import { clippedMeanEvent, sampledEvent, secureRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip, poisson } from '@lethe/mechanisms';
import { microsecondsEach, milliseconds } from '../case.mjs';
import { makeRecords, recordsOf } from '../data.mjs';
import { timed } from '../measure.mjs';
import { attach, planDpSgd, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const n = 100_000;
const d = 100;
const steps = 391;
const batch = 256;
const stepSize = 0.5;
/** So large that the readings never reach it. */
const limit = { epsilon: 1e6, delta: 1e-6, accountant: bestOf(accountants) };

/**
 * @param {string} name
 * @param {string} what
 * @param {readonly string[]} forms
 * @param {{ readonly goal?: number, readonly isLimited?: boolean, readonly precision?: 32 | 64 }} [how]
 * `isLimited`: each run reserves its plan under a limit; `precision`: bits of a feature of ours
 * @returns {Case}
 */
const epoch = (name, what, forms, { goal, isLimited = true, precision = 64 } = {}) => ({
  name: `epoch/${name}`,
  what,
  ...milliseconds,
  forms,
  of: 'epoch',
  size: { n, d, steps, batch, stepSize },
  ...(goal === undefined ? {} : { goal }),
  prepare() {
    const data = attach(recordsOf(n, d, precision), isLimited ? { limit } : {});
    const run = planDpSgd(data, { steps, rate: batch / n, stepSize });
    const options = isLimited ? { planned: run.plan.event } : {};
    return { run: timed(() => runOnce(data, run, options)) };
  },
});

/**
 * @param {string} name
 * @param {string} what
 * @param {() => () => unknown} make
 * @returns {Case}
 */
const part = (name, what, make) => ({
  name: `epoch/part-${name}`,
  what,
  ...microsecondsEach('step'),
  parts: steps,
  prepare: () => ({ run: timed(make()) }),
});

const drawn = () => {
  const random = secureRandom();
  return Array.from({ length: steps }, () => poissonSample(random, n, batch / n));
};

const meanQuery = () => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at: new Float64Array(d).fill(0.1) }] },
  batch: { id: 'everyone', normaliser: n, size: 'exact', scope: null },
  sampler: poisson({ rate: batch / n }),
  mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
  target: { noiseMultiplier: 1 },
});

/** The ledger entries of all steps, by the public interface of the ledger. */
function appendSteps() {
  const ledger = openLedger({ adjacency: 'zero-out' });
  ledger.openRun('run', secureRandom());
  const on = { space: 'all', from: 0, to: n };
  const sampler = /** @type {const} */ ({ kind: 'core/poisson', rate: batch / n });
  const event = sampledEvent(sampler, clippedMeanEvent(1, 'zero-out'));
  const digest = '0'.repeat(32);
  for (let index = 0; index < steps; index++)
    ledger.append({ run: 'run', index, digest, effect: { charge: { on, event } } });
  return ledger.total();
}

/** @type {readonly Case[]} */
export const epochs = [
  epoch(
    'dp-sgd',
    'dp-sgd, one epoch under a limit: 391 Poisson steps of about 256 from 100k × 100',
    ['choice', 'mask'],
    { goal: 0.85 },
  ),
  epoch('dp-sgd-32-bits', 'the same with rows of 32 bits', ['choice', 'mask'], { goal: 0.65, precision: 32 }),
  epoch('dp-sgd-free', 'the same without a limit', ['choice'], { isLimited: false }),
  epoch('dp-sgd-mask', 'the same against numpy with one coin per row and step', ['mask']),
  part('stack', 'dp-sgd’s step with one record in all: what curator, ledger and driver cost', () => {
    const data = attach(makeRecords(1, d), { limit });
    const run = planDpSgd(data, { steps, rate: batch / n, stepSize });
    return () => runOnce(data, run, { planned: run.plan.event });
  }),
  part('sampling', 'Poisson sampling alone', () => {
    const random = secureRandom();
    return () => {
      for (let k = 0; k < steps; k++) poissonSample(random, n, batch / n);
    };
  }),
  part('gradient', 'clipped gradient of the rows drawn, alone', () => {
    const { X, labels, norms, w } = recordsOf(n, d);
    const batches = drawn();
    const out = new Float64Array(d);
    return () => {
      for (const rows of batches)
        clippedGradient({ X, labels, norms, w, rows, radius: 1, slope: 'logistic', out: out.fill(0) });
    };
  }),
  part('noise', '100 normals from a fork, alone', () => {
    const random = secureRandom();
    const out = new Float64Array(d);
    return () => {
      for (let k = 0; k < steps; k++) random.fork('noise').gaussianInto(out);
    };
  }),
  part('digest', 'encoding and keyed hash of one mean query, alone', () => {
    const key = new Uint8Array(16);
    const query = meanQuery();
    return () => {
      for (let k = 0; k < steps; k++) keyedHash128(key, encode(query));
    };
  }),
  part('forks', 'the three forks of a step, alone', () => {
    const random = secureRandom();
    const digest = '0123456789abcdef'.repeat(2);
    return () => {
      for (let k = 0; k < steps; k++) {
        const randomness = random.fork(`${k}:${digest}`);
        randomness.fork('members');
        randomness.fork('noise');
      }
    };
  }),
  part('ledger', 'the ledger entry of a step, in memory, alone', () => appendSteps),
];
