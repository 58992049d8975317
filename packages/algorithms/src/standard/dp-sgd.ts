import { ask, defineOptimizer, InvalidParameter } from '@lethe/core';
import { poisson } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots } from '../common/problem-facts.js';
import { arithmetic, clippedMeanRelease } from './clipped-mean-release.js';
import { stepSizeAt, stepSizeSchema } from './step-size.js';

const schedule = z.object({
  steps: z.int().positive(),
  rate: z.number().positive().max(1).describe('Probability with which a record takes part in a step.'),
  clipNorm: z.number().positive().describe('ℓ2 norm to which each gradient is scaled down.'),
  ...stepSizeSchema,
  noiseMultiplier: z.number().positive().describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
  arithmetic,
  average: z.enum(['last', 'polyak']).default('last').describe('What is returned: the last iterate, or the mean of all.'),
});
const params = schedule.partial({ rate: true, noiseMultiplier: true }).extend({
  batchSize: z.number().positive().optional().describe('Expected size of a batch; the rate is batchSize / n. Give this or rate.'),
}).strict().refine(({ rate, batchSize }) => (rate === undefined) !== (batchSize === undefined), { message: 'give either rate or batchSize', path: ['rate'] });

/**
 * Differentially private stochastic gradient descent: Poisson batches, clipped gradients, Gaussian noise, a projection after
 * each step. Step `t` is `w ← P(w − stepSize_t · mean)`, means divided by the expected batch size.
 *
 * With `arithmetic: 'exact'` records are clipped and rounded to a grid of 2²⁰ steps to `clipNorm`, and the noise is whole Gaussian noise on
 * that grid: the certificate assumes nothing, at the cost of a pass record by record.
 *
 * The start is projected onto the domain first. With `noiseMultiplier` given the budget is not consulted: the event is what the plan
 * says, and the ledger's limit decides. There is no bound on the excess risk.
 */
export const dpSgd = defineOptimizer({
  name: 'dp-sgd',
  summary: 'Stochastic gradient descent on clipped gradients with Gaussian noise.',
  source: { id: 'abadi-2016', item: 'Algorithm 1' },
  params,
  examples: [{ steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1 }, { steps: 4, batchSize: 3, clipNorm: 0.5, stepSize: 0.2, schedule: 'inverse-sqrt', average: 'polyak' }, { steps: 3, rate: 0.5, clipNorm: 0.7, stepSize: 0.1, arithmetic: 'exact' }],
  claims: [
    { property: 'event', statement: 'steps × Poisson-sampled Gaussian of the planned multiplier, equal to the ledger’s' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: {},
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  schedule,
  plan({ problem, params: { batchSize, ...given }, noiseFor }) {
    const slots = centralSlots(problem);
    const rate = given.rate ?? batchSize! / slots;
    if (rate > 1) throw new InvalidParameter(`batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`, { batchSize, slots });
    const draft = { ...given, rate, utility: null, expectedGradients: given.steps * rate * slots };
    const noiseMultiplier = given.noiseMultiplier ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier }));
    return { ...draft, noiseMultiplier };
  },
  *steps({ plan, domain, start, allRecords, state, rounds }) {
    const sampler = poisson({ rate: plan.rate });
    const release = clippedMeanRelease(plan);
    const { w, mean } = state({ w: domain.projectInto(start, start), mean: new Float64Array(start.length) });
    for (const t of rounds(plan.steps)) {
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const gradient = yield* ask.mean({ at: w, batch, ...release });
      yield* ask.close(batch);
      const stepSize = stepSizeAt(plan, t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
      for (let j = 0; j < w.length; j++) mean[j] += (w[j] - mean[j]) / t;
    }
    return plan.average === 'polyak' ? mean : w;
  },
});
