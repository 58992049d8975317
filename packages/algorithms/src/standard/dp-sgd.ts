import {
  ask,
  defineOptimizer,
  IncompatiblePlugins,
  InvalidParameter,
  referenceTo,
  resolvePlugin,
  type Mean,
  type Sampler,
} from '@lethe/core';
import { poisson } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { z } from 'zod';
import { centralSlots } from '../common/problem-facts.js';
import { arithmetic, meanOfClipped } from './clipped-mean-release.js';
import { stepSizeAt, stepSizeSchema } from './step-size.js';

const schedule = z.object({
  steps: z.int().positive(),
  sampler: referenceTo('sampler').describe(
    'How the batch of a step is drawn, such as { name: poisson, params: { rate: 0.1 } }.',
  ),
  mean: referenceTo('mean').describe(
    'Private mean of the gradients, such as clipped with a clip and a mechanism.',
  ),
  ...stepSizeSchema,
  noiseMultiplier: z
    .number()
    .positive()
    .describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
  average: z
    .enum(['last', 'polyak'])
    .default('last')
    .describe('What is returned: the last iterate, or the mean of all.'),
});
const one = (...names: readonly [string, ...string[]]) => ({
  message: `give exactly one of ${names.join(', ')}`,
  path: [names[0]],
});
const params = schedule
  .partial({ sampler: true, mean: true, noiseMultiplier: true })
  .extend({
    rate: z
      .number()
      .positive()
      .max(1)
      .optional()
      .describe('Short for a Poisson sampler: probability with which a record takes part in a step.'),
    batchSize: z
      .number()
      .positive()
      .optional()
      .describe('Short for a Poisson sampler of rate batchSize / n: expected size of a batch.'),
    clipNorm: z
      .number()
      .positive()
      .optional()
      .describe(
        'Short for a clipped mean with Gaussian noise: ℓ2 norm to which each gradient is scaled down.',
      ),
    arithmetic,
  })
  .strict()
  .refine(
    ({ rate, batchSize, sampler }) =>
      [rate, batchSize, sampler].filter((value) => value !== undefined).length === 1,
    one('rate', 'batchSize', 'sampler'),
  )
  .refine(({ clipNorm, mean }) => (clipNorm === undefined) !== (mean === undefined), one('clipNorm', 'mean'))
  .refine(({ arithmetic: numbers, mean }) => numbers === 'floating' || mean === undefined, {
    message: 'arithmetic goes with clipNorm; with a mean, give one in whole numbers, such as lattice-mean',
    path: ['arithmetic'],
  });

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
 * The start is projected onto the domain first. With `noiseMultiplier` given the budget is not consulted: the
 * event is what the plan says, and the ledger's limit decides. There is no bound on the excess risk.
 */
export const dpSgd = defineOptimizer({
  name: 'dp-sgd',
  summary: 'Stochastic gradient descent on private means of clipped gradients.',
  source: { id: 'abadi-2016', item: 'Algorithm 1' },
  params,
  examples: [
    { steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
    { steps: 4, batchSize: 3, clipNorm: 0.5, stepSize: 0.2, schedule: 'inverse-sqrt', average: 'polyak' },
    { steps: 3, rate: 0.5, clipNorm: 0.7, stepSize: 0.1, arithmetic: 'exact' },
  ],
  claims: [
    {
      property: 'event',
      statement: 'steps × one sampled release of the mean at the planned multiplier, equal to the ledger’s',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: {},
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  schedule,
  plan({
    problem,
    registry,
    params: { rate, batchSize, clipNorm, arithmetic: numbers, ...given },
    noiseFor,
  }) {
    const slots = centralSlots(problem);
    const sampler = given.sampler ?? poisson({ rate: rate ?? rateOf(defined(batchSize), slots) });
    const mean = given.mean ?? meanOfClipped(defined(clipNorm), numbers);
    assertClips(resolvePlugin<Mean>(registry, mean).plugin);
    const { plugin, params: own } = resolvePlugin<Sampler>(registry, sampler);
    const draft = {
      ...given,
      sampler,
      mean,
      utility: null,
      expectedGradients: given.steps * plugin.normaliser(own, slots),
    };
    const noiseMultiplier =
      given.noiseMultiplier ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier }));
    return { ...draft, noiseMultiplier };
  },
  *steps({ plan, domain, start, allRecords, state, rounds }) {
    const { sampler, mean: by, noiseMultiplier } = plan;
    const { w, mean } = state({ w: domain.projectInto(start, start), mean: new Float64Array(start.length) });
    for (const t of rounds(plan.steps)) {
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const gradient = yield* ask.mean({ at: w, batch, mean: by, target: { noiseMultiplier } });
      yield* ask.close(batch);
      const stepSize = stepSizeAt(plan, t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
      for (let j = 0; j < w.length; j++) mean[j] += (w[j] - mean[j]) / t;
    }
    return plan.average === 'polyak' ? mean : w;
  },
});

/** The rate of an expected batch size. @throws {InvalidParameter} for a batch larger than the data. */
function rateOf(batchSize: number, slots: number): number {
  if (batchSize <= slots) return batchSize / slots;
  throw new InvalidParameter(
    `batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`,
    { batchSize, slots },
  );
}

/** @throws {IncompatiblePlugins} for a mean that rests on facts of the loss, or of another model of trust. */
function assertClips({ name, trust, privacyRestsOn }: Mean): void {
  if (trust !== 'central')
    throw new IncompatiblePlugins(
      `mean '${name}' is of the ${trust} model, and 'dp-sgd' runs with a central curator; take a central mean, such as 'clipped'`,
      { mean: name, trust },
    );
  if (privacyRestsOn === 'clip') return;
  throw new IncompatiblePlugins(
    `the privacy of mean '${name}' rests on ${privacyRestsOn}, and that of 'dp-sgd' on clipping alone; take a mean that clips, such as 'clipped'`,
    { mean: name, privacyRestsOn },
  );
}
