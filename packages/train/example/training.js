// The training of the example page, with the parts of Lethe that it needs and no others, so that its script
// stays small. `train` of @lethe/train does the same with every plugin at hand.
import { calibratorOf, compositions, gaussianNoise, poissonSamples, rdpOf } from '@lethe/accountants';
import { dpSgd } from '@lethe/algorithms';
import { driveOnce, secureRandom } from '@lethe/core';
import { attachDense, centralCuratorOf, ledgerInMemory, wholeMeanAnswers } from '@lethe/curator';
import { designMatrix, logistic, parseCsv } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, poisson } from '@lethe/mechanisms';

const rdp = rdpOf({ ...compositions, ...gaussianNoise, ...poissonSamples });
const centralCurator = centralCuratorOf([wholeMeanAnswers]);
const registry = [logistic, dpSgd, clippedMean, l2Clip, gaussian, poisson, l2BallDomain];

/**
 * Trains on records.
 *
 * @param spec - What the columns hold; public.
 * @param text - Records as CSV with a header.
 * @param epsilon - Privacy budget.
 * @returns the certified bound, the weights, and predictions for the first three records.
 */
export async function train(spec, text, epsilon) {
  const { features, labels, rows, columns, facts } = designMatrix(parseCsv(text), spec);
  const budget = { epsilon, delta: 10 ** -Math.ceil(Math.log10(10 * rows)) };
  const loss = logistic({});
  const random = secureRandom();
  const run = dpSgd.prepare({
    problem: {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension: columns,
      slots: [rows],
      domain: l2BallDomain({ radius: 10 }),
      loss,
      capabilities: loss.capabilities,
      facts: {},
    },
    registry,
    budget,
    params: { steps: 100, rate: 0.1, clipNorm: facts.rowNorm / 2, stepSize: 1, average: 'polyak' },
    calibrate: calibratorOf(rdp),
    random,
  });
  const ledger = ledgerInMemory({ adjacency: 'replace-one', limit: { ...budget, accountant: rdp } });
  const data = attachDense({ features, labels, loss, registry, ledger });
  const curator = centralCurator({ data, registry, run: 'in the browser', planned: run.plan.event });
  const { output } = await driveOnce(run, curator, { start: new Float64Array(columns), random });
  const { upper } = rdp.epsilon(ledger.total(), { adjacency: 'replace-one', delta: budget.delta });
  const predictions = [0, 1, 2].map((row) =>
    sigmoid(output.reduce((sum, weight, i) => sum + weight * features.get(row, i), 0)),
  );
  return { upper, delta: budget.delta, weights: Array.from(output), predictions };
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
