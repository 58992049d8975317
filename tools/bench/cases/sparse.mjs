import { secureRandom, seededRandom } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { logistic, losses, sparseData } from '@lethe/losses';
import {
  clippedMean,
  gaussian,
  gaussianL1Recovery,
  l2Clip,
  laplaceProjectionMechanism,
  mechanisms,
  projectionMechanism,
} from '@lethe/mechanisms';
import { milliseconds, short } from '../case.mjs';
import { timed } from '../measure.mjs';
import { planDpSgd, runOnce } from '../stack.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const n = 100_000;
const d = 1_000_000;
const entries = 20;
const batch = 1000;
const steps = 100;
const size = { n, d, entries, batch, steps };
const registry = [...mechanisms, ...losses];
const shape = `${short(n)} rows of ${entries} entries in ${short(d)} columns`;

/** @type {import('@lethe/losses').SparseData | undefined} */
let made;
const records = () =>
  (made ??= sparseData({ rows: n, columns: d, entries, exponent: 1 }, seededRandom('bench/sparse')));

/** @param {NonNullable<import('@lethe/curator').DataInput['domain']>} domain */
function attached(domain) {
  const { features, labels } = records();
  const ledger = openLedger({ adjacency: 'zero-out' });
  return attachData({ features, labels, loss: logistic({}), registry, domain, ledger });
}

/** @param {import('@lethe/core').Ref<'mean'>} mean */
function meanOfAll(mean) {
  const data = attached({ featureNorm: 1.001, sparsity: entries });
  let runs = 0;
  const at = new Float64Array(d);
  return timed(() => {
    const run = `sparse-${mean.name}-${runs++}`;
    const curator = centralCurator({ data, registry, run, random: secureRandom() });
    return curator.answer(0, {
      ask: 'mean',
      of: { terms: [{ weight: 1, at }] },
      batch: curator.allRecords,
      mean,
      target: { noiseMultiplier: 1 },
    }).answer;
  });
}

/**
 * @param {string} name
 * @param {string} what
 * @param {() => import('../measure.mjs').Runner} make
 * @param {Partial<Case>} [rest]
 * @returns {Case}
 */
const sparse = (name, what, make, rest = {}) => ({
  name: `sparse/${name}`,
  what: `${what}: ${shape}`,
  ...milliseconds,
  size,
  prepare: () => ({ run: make() }),
  ...rest,
});

/** @type {readonly Case[]} */
export const sparseRows = [
  sparse(
    'step',
    `a step of dp-sgd on ${batch} rows`,
    () => {
      const data = attached({ featureNorm: 1.001 });
      const run = planDpSgd(data, { steps, rate: batch / n, stepSize: 0.1 });
      return timed(() => runOnce(data, run));
    },
    { parts: steps, forms: ['csr'], of: 'sparse-step', goal: 1 },
  ),
  sparse(
    'mean',
    'a noisy mean of clipped gradients',
    () => meanOfAll(clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) })),
    { forms: ['csr'], of: 'sparse-mean', goal: 1 },
  ),
  sparse('projection', 'the projection mechanism', () =>
    meanOfAll(projectionMechanism({ radius: 1, sparsity: entries })),
  ),
  sparse('laplace-projection', 'the same with Laplace noise', () =>
    meanOfAll(laplaceProjectionMechanism({ radius: 1, sparsity: entries })),
  ),
  sparse('recovery', 'ℓ1 recovery from 64 measurements', () =>
    meanOfAll(
      gaussianL1Recovery({
        mode: 'certified',
        radius: 1,
        sparsity: entries,
        measurements: 64,
        failure: 1e-9,
      }),
    ),
  ),
  sparse('attach', 'attaching the rows with a bound on each column', () =>
    timed(() => attached({ featureBounds: Array.from({ length: d }, () => 1) })),
  ),
];
