import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { dpSgd } from '@lethe/algorithms';
import { driveSync, secureRandom, seededRandom } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import { mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { milliseconds } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const n = 80_000;
const held = 20_000;
const d = 100;
const adjacency = 'zero-out';
const budget = { epsilon: 1, delta: 1e-6 };
const registry = [...mechanisms, ...losses];
const random = seededRandom('bench/fit/public');
/** Nothing is clipped, since no gradient is longer than its row; the rest is the best on the tested rows. */
const params = { steps: 12, rate: 0.05, clipNorm: 1, stepSize: 24 };
const accountant = bestOf(accountants);

/**
 * Rows of norm 1 whose entries get smaller from column to column, and labels of a logistic model.
 * @param {number} rows
 * @param {string} seed
 */
function makeRows(rows, seed) {
  const randomness = seededRandom(`bench/fit/${seed}`);
  const X = new Float64Array(rows * d);
  randomness.gaussianInto(X);
  const labels = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const x = X.subarray(i * d, (i + 1) * d);
    let square = 0;
    for (let j = 0; j < d; j++) square += (x[j] /= j + 1) ** 2;
    for (let j = 0; j < d; j++) x[j] /= Math.sqrt(square);
    labels[i] = randomness.uniform() < 1 / (1 + Math.exp(-marginOf(x, truth))) ? 1 : -1;
  }
  return { X, labels };
}
const truth = Float64Array.from({ length: d }, (_, j) => (j % 2 === 0 ? 4 : -4) / (j + 1));

/** @param {Float64Array} x @param {Float64Array} w */
function marginOf(x, w) {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += x[j] * w[j];
  return sum;
}

/** @param {ReturnType<typeof makeRows>} rows @param {Float64Array} w */
function lossOf({ X, labels }, w) {
  let sum = 0;
  for (let i = 0; i < labels.length; i++)
    sum += Math.log1p(Math.exp(-labels[i] * marginOf(X.subarray(i * d, (i + 1) * d), w)));
  return sum / labels.length;
}

const plan = () =>
  dpSgd.prepare({
    problem: {
      adjacency,
      trust: { model: 'central' },
      dimension: d,
      slots: [n],
      domain: wholeSpaceDomain({}),
      loss: logistic({}),
      capabilities: logistic.capabilities,
      facts: {},
    },
    registry,
    budget,
    params,
    calibrate: calibrator(accountants),
    random,
  });

/** @param {ReturnType<typeof makeRows>} rows @param {number} [limit] */
const attach = ({ X, labels }, limit = budget.epsilon) =>
  attachData({
    features: { data: X, rows: n, columns: d, offset: 0, rowStride: d, columnStride: 1 },
    labels,
    loss: logistic({}),
    registry,
    ledger: openLedger({ adjacency, limit: { ...budget, epsilon: limit, accountant } }),
  });

/**
 * @param {import('@lethe/curator').DataSet} data
 * @param {import('@lethe/core').Run} run
 */
function fit(data, run, name = 'fit') {
  const curator = centralCurator({
    data,
    registry,
    run: name,
    planned: run.plan.event,
    random: secureRandom(),
  });
  return driveSync(run, curator, { start: new Float64Array(d), random }).output;
}

/** @param {import('@lethe/curator').DataSet} data */
const certify = ({ ledger }) =>
  accountant.epsilon(ledger.total(), { adjacency, delta: budget.delta, near: budget.epsilon });

/** @param {ReturnType<typeof makeRows>} rows */
function whole(rows) {
  const data = attach(rows);
  const output = fit(data, plan());
  if (!(certify(data).upper <= budget.epsilon)) throw new Error('the certificate is above the budget');
  return output;
}

/** Loss on held-out rows above that of the true weights, averaged over runs. */
function excess(/** @type {ReturnType<typeof makeRows>} */ rows) {
  const test = makeRows(held, 'test');
  const runs = 5;
  let sum = 0;
  for (let k = 0; k < runs; k++) sum += lossOf(test, whole(rows)) / runs;
  return sum - lossOf(test, truth);
}

/**
 * @param {string} name
 * @param {string} what
 * @param {(rows: ReturnType<typeof makeRows>) => () => unknown} make
 * @returns {Case}
 */
const part = (name, what, make) => ({
  name: `fit/${name}`,
  what,
  ...milliseconds,
  prepare: () => ({ run: timed(make(makeRows(n, 'train'))) }),
});

/** A private logistic fit as a user has it, and its parts. @type {readonly Case[]} */
export const fits = [
  {
    name: 'fit/logistic',
    what:
      `a logistic fit at ε = 1, δ = 1e-6, 80k × 100: plan, attach, ${params.steps} steps of dp-sgd under a ` +
      'limit, certificate; the answer is the test loss above that of the true weights',
    ...milliseconds,
    most: { time: 100, width: null, upper: 0.0013 },
    prepare() {
      const rows = makeRows(n, 'train');
      const above = excess(rows);
      return { run: timed(() => whole(rows)), answer: () => ({ lower: above, upper: above }) };
    },
  },
  part('plan', 'its plan: one calibration', () => plan),
  part('attach', 'attaching its 64 MB: copied, checked and hashed', (rows) => () => attach(rows)),
  part('steps', 'its steps, with curator and ledger', (rows) => {
    const run = plan();
    const data = attach(rows, 1e6);
    let k = 0;
    return () => fit(data, run, `fit-${k++}`);
  }),
  part('certificate', 'its certificate', (rows) => {
    const data = attach(rows);
    fit(data, plan());
    return () => certify(data);
  }),
];
