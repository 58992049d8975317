import {
  ask,
  clippedMeanSensitivity,
  defineOptimizer,
  factValue,
  InvalidParameter,
  sensitivityUnder,
  type Problem,
} from '@lethe/core';
import { fixedSize } from '@lethe/mechanisms';
import { z } from 'zod';
import {
  centralSlots,
  diameterOf,
  gaussianMean,
  lipschitzOf,
  requiredLipschitz,
} from '../common/problem-facts.js';

const params = z.strictObject({
  steps: z.int().positive().optional().describe('Left out: the square of the number of records.'),
  schedule: z
    .enum(['convex', 'strongly-convex'])
    .default('convex')
    .describe('Steps of stepSize/√t; or of 1/(strongConvexity·t).'),
  stepSize: z
    .number()
    .positive()
    .optional()
    .describe(
      'Of the first step of the convex schedule. Left out: diameter over the root mean square of noisy gradients.',
    ),
  clipNorm: z
    .number()
    .positive()
    .optional()
    .describe(
      'Clip each gradient to this ℓ2 norm, instead of relying on a Lipschitz constant of every record.',
    ),
  noiseMultiplier: z
    .number()
    .positive()
    .optional()
    .describe(
      'Noise over sensitivity of a step, in the run’s adjacency. Left out: calibrated to the budget.',
    ),
});
const planned = z.object({
  steps: z.int().positive(),
  decay: z.number().positive(),
  schedule: params.shape.schedule,
  clipNorm: z.number().positive().nullable(),
  noiseMultiplier: z.number().positive(),
});

/** `G² ≥ E‖noisy gradient‖²` of a record bounded by `radius`. */
function squareOf({ dimension, adjacency }: Problem, radius: number, noiseMultiplier: number): number {
  const scale =
    noiseMultiplier * sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped gradient') * radius;
  return radius ** 2 + dimension * scale ** 2;
}

/**
 * Stochastic gradient descent on one record at a time, with noise: the method to which Table 1 of the
 * sketched methods is compared. Each step draws a record in secret, adds noise to its gradient, takes a step
 * of decreasing size and projects. The last iterate is returned.
 *
 * The algorithm is theirs. The noise is not: they bound subsampling and composition by formulas, here each
 * step is charged as a Gaussian on a batch of one record and accounted for exactly. Facts: `lipschitz` (every
 * record) unless clipped; `diameter` if the domain is unbounded; `strongConvexity` for its schedule.
 *
 * `plan.utility` bounds the expected excess empirical risk of the last iterate (Shamir and Zhang 2013,
 * Theorems 1 and 2), unless gradients may be clipped or, with the convex schedule, the domain is unbounded.
 */
export const oneRecordSgd = defineOptimizer({
  name: 'one-record-sgd',
  summary: 'Stochastic gradient descent on single records with noise, steps of 1/√t and projection.',
  source: { id: 'bassily-2014', item: 'Algorithm 1' },
  params,
  examples: [{ steps: 7 }, { steps: 5, clipNorm: 1, stepSize: 0.5 }],
  claims: [
    { property: 'event', statement: 'steps × Gaussian on one record of all' },
    { property: 'gradients', statement: 'one a step' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  schedule: planned,
  plan({
    problem,
    domain,
    params: { steps: wanted, schedule, stepSize, clipNorm, noiseMultiplier: given },
    noiseFor,
  }) {
    const slots = centralSlots(problem);
    const lipschitz = lipschitzOf(problem);
    const steps = wanted ?? slots ** 2;
    if (!Number.isSafeInteger(steps))
      throw new InvalidParameter(
        `the square of ${slots} records is more steps than can be counted; give steps`,
        { slots },
      );
    const radius = clipNorm ?? requiredLipschitz(problem, 'clipNorm');
    const draft = { steps, schedule, decay: 1, clipNorm: clipNorm ?? null };
    const noiseMultiplier = given ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier }));
    const square = squareOf(problem, radius, noiseMultiplier);
    const decay =
      schedule === 'convex'
        ? (stepSize ?? diameterOf(problem, domain) / Math.sqrt(square))
        : 1 / positiveConvexity(problem);
    const isClipped = clipNorm !== undefined && (lipschitz === null || clipNorm < lipschitz);
    const bound = riskAfter(steps + 1, schedule, { decay, square, diameter: domain.diameter });
    const source = `shamir-zhang-2013, expected excess empirical risk of the last iterate, Theorem ${schedule === 'convex' ? 2 : 1}`;
    return {
      ...draft,
      decay,
      noiseMultiplier,
      utility: isClipped || !(bound < Infinity) ? null : { bound, source },
    };
  },
  *steps({ plan, domain, start, allRecords, state, rounds }) {
    const sampler = fixedSize({ size: 1 });
    const release = gaussianMean(plan.clipNorm, { noiseMultiplier: plan.noiseMultiplier });
    const { w } = state({ w: domain.projectInto(start, start) });
    for (const t of rounds(plan.steps)) {
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const gradient = yield* ask.mean({ at: w, batch, ...release });
      yield* ask.close(batch);
      const stepSize = plan.decay / (plan.schedule === 'convex' ? Math.sqrt(t) : t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
    }
    return w;
  },
});

/**
 * Theorems 2 and 1. Iterates keep within what the domain projects onto;
 * a declared diameter of an unbounded one sets the step size only.
 */
function riskAfter(
  count: number,
  schedule: 'convex' | 'strongly-convex',
  { decay, square, diameter }: { readonly decay: number; readonly square: number; readonly diameter: number },
): number {
  if (schedule === 'convex')
    return ((diameter ** 2 / decay + decay * square) * (2 + Math.log(count))) / Math.sqrt(count);
  return (17 * square * decay * (1 + Math.log(count))) / count;
}

function positiveConvexity(problem: Problem): number {
  const convexity = factValue(problem, 'strongConvexity');
  if (convexity > 0) return convexity;
  throw new InvalidParameter(
    `the fact 'strongConvexity' is ${convexity}; the strongly-convex schedule needs a positive one`,
    { strongConvexity: convexity },
  );
}
