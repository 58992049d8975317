import { ask, defineOptimizer, InvalidParameter, repeatedEvent, sampledEvent, Unsupported, type Problem, type PublicState, type Vector } from '@lethe/core';
import { poisson } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots } from '../common/problem-facts.js';
import { assertResumable } from '../common/resumable.js';
import { clippedMeanRelease, type Arithmetic, type ClippedMeanRelease } from './clipped-mean-release.js';
import { stepSizeAt, stepSizeSchema } from './step-size.js';

const params = z.strictObject({
  steps: z.int().positive(),
  rate: z.number().positive().max(1).optional().describe('Probability with which a record takes part in a step.'),
  batchSize: z.number().positive().optional().describe('Expected size of a batch; the rate is batchSize / n. Give this or rate.'),
  clipNorm: z.number().positive().describe('ℓ2 norm to which each gradient is scaled down.'),
  ...stepSizeSchema,
  noiseMultiplier: z.number().positive().optional().describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
  arithmetic: z.enum(['floating', 'exact']).default('floating').describe('exact: sums and noise are whole numbers, and the certificate assumes nothing of floating point.'),
  average: z.enum(['last', 'polyak']).default('last').describe('What is returned: the last iterate, or the mean of all.'),
  checkpointEvery: z.int().positive().default(1000).describe('Steps between places to resume from.'),
}).refine(({ rate, batchSize }) => (rate === undefined) !== (batchSize === undefined), { message: 'give either rate or batchSize', path: ['rate'] });

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
  examples: [{ steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1, checkpointEvery: 2 }, { steps: 4, batchSize: 3, clipNorm: 0.5, stepSize: 0.2, schedule: 'inverse-sqrt', average: 'polyak' }, { steps: 3, rate: 0.5, clipNorm: 0.7, stepSize: 0.1, arithmetic: 'exact' }],
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
  plan({ problem, budget, params: { rate: given, batchSize, noiseMultiplier: fixed, ...rest }, calibrate }) {
    const slots = centralSlots(problem);
    const rate = given ?? batchSize! / slots;
    if (rate > 1) throw new InvalidParameter(`batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`, { batchSize, slots });
    const mean = meanOf(problem, { ...rest, rate });
    const event = (noiseMultiplier: number) => repeatedEvent(sampledEvent({ kind: 'core/poisson', rate }, mean.event(noiseMultiplier)), rest.steps);
    const noiseMultiplier = fixed ?? calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' }).value;
    if (noiseMultiplier > mean.largestMultiplier) throw tooNoisy(noiseMultiplier, mean.largestMultiplier);
    return {
      ...rest, rate, noiseMultiplier,
      event: event(noiseMultiplier),
      utility: null,
      gradients: rest.steps * slots,
      expectedGradients: rest.steps * rate * slots,
    };
  },
  *steps({ plan, problem, domain, start, allRecords, from }) {
    const release = meanOf(problem, plan).release(plan.noiseMultiplier);
    const sampler = poisson({ rate: plan.rate });
    const state = from as State | null;
    assertResumable(state?.step ?? 0, plan.steps);
    const w = state?.iterate.slice() ?? domain.projectInto(new Float64Array(start.length), start);
    const mean = state?.mean.slice() ?? new Float64Array(start.length);
    for (let t = (state?.step ?? 0) + 1; t <= plan.steps; t++) {
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const gradient = yield* ask.mean({ at: w, batch, ...release });
      yield* ask.close(batch);
      const stepSize = stepSizeAt(plan, t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
      for (let j = 0; j < w.length; j++) mean[j] += (w[j] - mean[j]) / t;
      if (t % plan.checkpointEvery === 0 && t < plan.steps) yield* ask.checkpoint({ step: t, iterate: w.slice(), mean: mean.slice() });
    }
    return plan.average === 'polyak' ? mean : w;
  },
});

/** The mean of a Poisson batch: both plan and steps use its public numbers. */
const meanOf = (problem: Problem, { rate, clipNorm, arithmetic }: { readonly rate: number; readonly clipNorm: number; readonly arithmetic: Arithmetic }): ClippedMeanRelease =>
  clippedMeanRelease({ arithmetic, clipNorm, adjacency: problem.adjacency, dimension: problem.dimension, normaliser: poisson.normaliser({ rate }, centralSlots(problem)) });

const tooNoisy = (noiseMultiplier: number, most: number): Unsupported =>
  new Unsupported(`the noise multiplier is ${noiseMultiplier}; arithmetic 'exact' takes at most ${most}, noise of 2^40 steps of its grid. Ask for less privacy, or give arithmetic: 'floating'.`, { noiseMultiplier, most });

interface State { readonly [key: string]: PublicState; readonly step: number; readonly iterate: Vector; readonly mean: Vector }
