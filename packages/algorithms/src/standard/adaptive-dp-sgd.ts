import {
  ask,
  IncompatiblePlugins,
  InvalidParameter,
  referenceTo,
  type MeanQuery,
  type ValueQuery,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { gaussian } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { boundBy, centralSlots } from '../common/problem-facts.js';
import { byReference, oneFormEach, writtenParts } from './step-parts.js';
import { stepPrice } from './step-price.js';
import { stepSizeAt, stepSizeSchema } from './step-size.js';

const params = z
  .strictObject({
    steps: z
      .int()
      .positive()
      .describe('The most steps that are taken; it stops before when the budget does.'),
    ...writtenParts,
    ...stepSizeSchema,
    noiseMultiplier: z.number().positive().describe('Noise over sensitivity of the first steps.'),
    leastMultiplier: z.number().positive().describe('What the noise multiplier never falls below.'),
    shrink: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.7)
      .describe('Factor of the noise multiplier where the gradient has stopped falling.'),
    lookEvery: z.int().positive().describe('Steps between looks at the norm of the gradient.'),
    lookMultiplier: z.number().positive().describe('Noise over sensitivity of a look.'),
    lookMechanism: z
      ._default(referenceTo('mechanism'), gaussian({}))
      .describe('Noise of a look, such as { name: laplace }.'),
    lookNorm: z
      .number()
      .positive()
      .optional()
      .describe('ℓ2 norm to which each gradient is scaled down in a look. Left out: clipNorm.'),
    progress: z
      .number()
      .gt(0)
      .max(1)
      .default(0.9)
      .describe('A look that is above this share of the least so far counts as no progress.'),
    tolerance: z.number().nonnegative().default(0).describe('A look that is at most this ends the run.'),
  })
  .refine(({ leastMultiplier, noiseMultiplier }) => leastMultiplier <= noiseMultiplier, {
    message: 'leastMultiplier is at most noiseMultiplier',
    path: ['leastMultiplier'],
  })
  .refine(({ lookNorm, clipNorm }) => lookNorm !== undefined || clipNorm !== undefined, {
    message: 'with a mean by reference, give lookNorm: a look clips gradients by itself',
    path: ['lookNorm'],
  })
  .superRefine(oneFormEach);

/**
 * Stochastic gradient descent that decides by noisy norms of the gradient how much noise to ask for, and when
 * to stop: where the norm has stopped falling, noise hides it, and the multiplier shrinks; where it is small
 * enough, or the budget has no room for another step, the run ends.
 *
 * A step is that of `dp-sgd`, with any sampler and any mean that clips. The run is held to the privacy filter
 * of its budget, so that it is (ε, δ)-DP whatever it decides. What it spends is the filter's limit. There is
 * no bound on the excess risk.
 *
 * @see Lee, Kifer 2018, for budgets that grow by iteration; the rule by norms is ours.
 */
export const adaptiveDpSgd = defineOptimizer({
  name: 'adaptive-dp-sgd',
  summary: 'Stochastic gradient descent that adapts its noise, and stops, by noisy gradient norms.',
  source: { id: 'lee-kifer-2018', item: 'Section 4' },
  params,
  examples: [
    {
      steps: 6,
      rate: 0.5,
      clipNorm: 1,
      stepSize: 0.1,
      noiseMultiplier: 8,
      leastMultiplier: 2,
      lookEvery: 2,
      lookMultiplier: 8,
    },
    {
      steps: 9,
      rate: 0.25,
      clipNorm: 0.5,
      stepSize: 0.2,
      noiseMultiplier: 4,
      leastMultiplier: 4,
      lookEvery: 3,
      lookMultiplier: 6,
      lookMechanism: { name: 'laplace' },
      tolerance: 0.2,
    },
  ],
  claims: [
    { property: 'event', statement: 'the limit of the filter of the budget, whatever the answers are' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'adaptive',
  plan({ problem, registry, random, budget, params: { lookNorm, ...written }, filter }) {
    const slots = centralSlots(problem);
    if (filter === undefined)
      throw new IncompatiblePlugins('adaptive-dp-sgd is planned with the filter of its budget', {});
    const plan = byReference('adaptive-dp-sgd', written, { problem, registry });
    const priceAt = (noiseMultiplier: number) =>
      stepPrice({ ...plan, noiseMultiplier }, { problem, registry, random });
    const first = priceAt(plan.noiseMultiplier);
    // Some mechanisms draw no noise so small, which is refused here and not on the way.
    priceAt(plan.leastMultiplier);
    if (!filter.admits(first.event))
      throw new InvalidParameter(
        `the budget has no room for one step with the noise multiplier ${plan.noiseMultiplier}; give a ` +
          'larger one, or a sampler that draws fewer records',
        { noiseMultiplier: plan.noiseMultiplier, sampler: plan.sampler, budget },
      );
    return {
      ...plan,
      lookNorm: defined(lookNorm ?? written.clipNorm),
      event: filter.limit,
      utility: null,
      uncovered: 'no bound is proved for noise and steps that depend on the answers',
      gradients: plan.steps * first.gradients + Math.floor(plan.steps / plan.lookEvery) * slots,
    };
  },
  *steps({ plan, domain, start, allRecords, state, rounds }) {
    const { sampler, mean } = plan;
    const bound = boundBy(plan.lookNorm);
    const lookNoise = { mechanism: plan.lookMechanism, target: { noiseMultiplier: plan.lookMultiplier } };
    const { w } = state({ w: domain.projectInto(start, start) });
    const now = state({ multiplier: plan.noiseMultiplier, least: Infinity });
    for (const t of rounds(plan.steps)) {
      const release = { batch: allRecords, sampler, mean, target: { noiseMultiplier: now.multiplier } };
      const step: MeanQuery = { ask: 'mean', of: { terms: [{ weight: 1, at: w }] }, ...release };
      if (!(yield* ask.afford(step))) break;
      const gradient = yield* ask.mean({ at: w, ...release });
      const stepSize = stepSizeAt(plan, t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
      if (t % plan.lookEvery !== 0) continue;
      const look: ValueQuery = {
        ask: 'value',
        statistic: { of: 'gradient-norm', bound },
        at: w,
        batch: allRecords,
        noise: lookNoise,
      };
      if (!(yield* ask.afford(look))) break;
      const norm = yield* ask.value(look);
      if (norm <= plan.tolerance) break;
      if (norm > plan.progress * now.least)
        now.multiplier = Math.max(plan.leastMultiplier, plan.shrink * now.multiplier);
      now.least = Math.min(now.least, norm);
    }
    return w;
  },
});
