import { ask } from '@lethe/core';
import { defineCentralOptimizer, gradientValueAnswers, wholeMeanAnswers } from '@lethe/curator';
import { subtractScaled, zerosBeside } from '@lethe/numerics';
import * as z from 'zod/mini';
import { clipNormSchema, meanOfSteps, plannedQuantileSchema } from '../common/private-clip.js';
import { quantileBefore } from './quantile-before.js';
import { byReference, normaliserOf, oneFormEach, plannedParts, writtenParts } from './step-parts.js';
import { averageSchema, stepSizeAt, stepSizeSchema } from './step-size.js';
import { noiseSchema, withNoise } from './with-noise.js';

const clipNorm = z
  .optional(clipNormSchema)
  .check(
    z.describe(
      'Short for a clipped mean with Gaussian noise: ℓ2 norm to which each gradient is scaled down; or a ' +
        'quantile of the norms at the start, found privately.',
    ),
  );
const noiseOrNone = z.union([noiseSchema, z.literal(0)]);
const noBound = { utility: null, uncovered: 'no bound is proved for any steps, clip and average' };
const own = { steps: z.int().check(z.positive()), ...stepSizeSchema, average: averageSchema };

/**
 * Differentially private stochastic gradient descent: a batch, a private mean of its gradients, a projection
 * after each step. Step `t` is `w ← P(w − stepSize_t · mean)`, means divided by the public normaliser of the
 * sampler.
 *
 * `sampler` and `mean` are any plugins of the registry: a sampler that states its amplification in the run's
 * adjacency, and a central mean whose privacy rests on clipping. `rate` or `batchSize` is short for Poisson
 * sampling, `clipNorm` for clipped gradients with Gaussian noise. With `arithmetic: 'exact'` records are
 * clipped and rounded to a grid of 2²⁰ steps to `clipNorm`, and the noise is whole Gaussian noise on that
 * grid: the certificate assumes nothing, at the cost of a pass record by record.
 *
 * `clipNorm: { by: 'private-quantile', share }` finds the clip norm at the start by noisy counts over all
 * records, which take that share of the budget; the noise of the steps takes the rest.
 *
 * The start is projected onto the domain first. With `noiseMultiplier` given the budget is not consulted: the
 * event is what the plan says, and the ledger's limit decides; 0 releases without noise and has no privacy, a
 * baseline that tells the price of noise from that of few steps. There is no bound on the excess risk.
 */
export const dpSgd = defineCentralOptimizer([wholeMeanAnswers, gradientValueAnswers], {
  name: 'dp-sgd',
  summary: 'Stochastic gradient descent on private means of clipped gradients.',
  source: { id: 'abadi-2016', item: 'Algorithm 1' },
  params: z
    .strictObject({ ...own, ...writtenParts, clipNorm, noiseMultiplier: z.optional(noiseOrNone) })
    .check(z.superRefine(oneFormEach)),
  examples: [
    { steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
    {
      steps: 4,
      batchSize: 3,
      clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 },
      stepSize: 0.2,
      schedule: 'inverse-sqrt',
      average: 'polyak',
    },
    { steps: 3, rate: 0.5, clipNorm: 0.7, stepSize: 0.1, arithmetic: 'exact' },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'steps × one sampled release of the mean at the planned multiplier, and one release for each count ' +
        'of a quantile; equal to the ledger’s',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  privacyRestsOn: 'clip',
  schedule: z.object({
    ...own,
    ...plannedParts,
    quantile: z.nullable(plannedQuantileSchema),
    noiseMultiplier: noiseOrNone,
  }),
  plan({ problem, registry, budget, params: { noiseMultiplier, ...params }, noiseFor }) {
    const plan = byReference('dp-sgd', params, { problem, registry });
    const { quantile, gradients } = quantileBefore(params.clipNorm, { problem, budget });
    const expectedGradients = gradients + plan.steps * normaliserOf(plan.sampler, { problem, registry });
    return withNoise({ ...plan, ...noBound, quantile, expectedGradients }, noiseMultiplier, noiseFor);
  },
  *steps({ plan, registry, domain, start, allRecords, state, rounds }) {
    const { sampler, noiseMultiplier } = plan;
    domain.projectInto(start, start);
    const by = yield* meanOfSteps(plan, registry, { at: start, batch: allRecords });
    const { w, mean } = state({
      w: start,
      mean: new Float64Array(plan.average === 'polyak' ? start.length : 0),
    });
    const into = zerosBeside(w);
    const target = noiseMultiplier === 0 ? ({ unprotected: true } as const) : { noiseMultiplier };
    for (const t of rounds(plan.steps)) {
      const gradient = yield* ask.mean({ at: w, batch: allRecords, sampler, mean: by, target, into });
      subtractScaled(w, stepSizeAt(plan, t), gradient);
      if (!domain.unconstrained) domain.projectInto(w, w);
      if (plan.average === 'polyak') for (let j = 0; j < w.length; j++) mean[j] += (w[j] - mean[j]) / t;
    }
    return plan.average === 'polyak' ? mean : w;
  },
});
