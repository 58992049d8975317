import { ask, InvalidParameter, MissingFact, type Problem, type Ref } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { fixedSize } from '@lethe/mechanisms';
import type { Domain } from '@lethe/numerics';
import * as z from 'zod';
import { centralSlots, diameterOf, gaussianMean, requiredLipschitz } from '../common/problem-facts.js';
import { noisyGradient } from './noisy-gradient.js';
import { assertMeanFits } from '../common/given-mean.js';
import { clipNormSchema, meanOfSteps, plannedQuantileSchema } from '../common/private-clip.js';
import { atMostOne } from '../common/require.js';
import { quantileBefore } from './quantile-before.js';
import { plannedParts } from './step-parts.js';
import { noiseSchema, withNoise } from './with-noise.js';

const scheduleName = z
  .enum(['convex', 'strongly-convex'])
  .default('convex')
  .describe('Steps of stepSize/√t; or of 1/(strongConvexity·t).');
const params = z
  .strictObject({
    steps: z.int().positive().optional().describe('Left out: the square of the number of records.'),
    schedule: scheduleName,
    stepSize: z
      .number()
      .positive()
      .optional()
      .describe(
        'Of the first step of the convex schedule. Left out: ' +
          'diameter over the root mean square of noisy gradients.',
      ),
    sampler: z.optional(plannedParts.sampler).describe('How a step draws. Left out: one uniform record.'),
    mean: z.optional(plannedParts.mean),
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'Short for a clipped mean with Gaussian noise: ℓ2 norm to which each gradient is scaled down; or a ' +
          'quantile of the norms at the start, found privately. ' +
          'Without it or mean, noise is for a Lipschitz constant of every record.',
      ),
    noiseMultiplier: z.optional(noiseSchema),
  })
  .superRefine(atMostOne('clipNorm', 'mean'));
const planned = z.object({
  steps: z.int().positive(),
  decay: z.number().positive(),
  schedule: scheduleName,
  ...plannedParts,
  quantile: z.nullable(plannedQuantileSchema),
  noiseMultiplier: noiseSchema,
});

/**
 * Stochastic gradient descent on one record at a time, with noise: the method to which Table 1 of the
 * sketched methods is compared. Each step draws a record in secret, adds noise to its gradient, takes a step
 * of decreasing size and projects. The last iterate is returned.
 *
 * The algorithm is theirs. The noise is not: they bound subsampling and composition by formulas, here each
 * step is charged as what it is and accounted for exactly. Facts: `lipschitz` (every record) unless clipped;
 * `diameter` if the domain is unbounded; `strongConvexity` for its schedule.
 *
 * `sampler` and `mean` are any plugins of the registry: a sampler that states its amplification in the run's
 * adjacency, and a central mean whose privacy rests on clipping or on constants of every record. Left out, a
 * step draws one uniform record and adds Gaussian noise.
 *
 * `plan.utility` bounds the expected excess empirical risk of the last iterate (Shamir and Zhang 2013,
 * Theorems 1 and 2) where noisy gradients are unbiased and, with the convex schedule, the domain is bounded.
 * `plan.uncovered` says why there is none. A private quantile as `clipNorm` finds the clip norm at the start
 * by noisy counts, which take their share of the budget; steps are then for the longest that it may find, and
 * there is no bound.
 */
export const oneRecordSgd = defineOptimizer({
  name: 'one-record-sgd',
  summary: 'Stochastic gradient descent on single records with noise, steps of 1/√t and projection.',
  source: { id: 'bassily-2014', item: 'Algorithm 1' },
  params,
  examples: [
    { steps: 7 },
    { steps: 5, clipNorm: 1, stepSize: 0.5 },
    { steps: 3, clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 }, stepSize: 0.5 },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'steps × one sampled release of the mean at the planned multiplier, and one release for each count ' +
        'of a quantile; equal to the ledger’s',
    },
    { property: 'gradients', statement: 'one a step, with the sampler of the method; n for each count' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  schedule: planned,
  plan({ problem, domain, registry, budget, params: { noiseMultiplier: given, ...written }, noiseFor }) {
    const { schedule, clipNorm } = written;
    const { quantile } = quantileBefore(clipNorm, { problem, budget });
    const steps = written.steps ?? squareOf(centralSlots(problem));
    const parts = {
      sampler: written.sampler ?? fixedSize({ size: 1 }),
      // What is found by a quantile scales the mean of gradients of unit size.
      mean: written.mean ?? meanOf(typeof clipNorm === 'object' ? 1 : clipNorm, problem),
    };
    assertMeanFits(registry, parts.mean, {
      optimizer: 'one-record-sgd',
      trust: 'central',
      mayClip: true,
      privacyRestsOn: 'every-record constants',
    });
    const draft = withNoise({ steps, schedule, decay: 1, ...parts, quantile }, given, noiseFor);
    const gradient = noisyGradient(parts, { problem, domain, registry });
    const unit = gradient.square(draft.noiseMultiplier);
    const square = unit === null ? null : unit * (quantile?.largest ?? 1) ** 2;
    const decay =
      schedule === 'convex'
        ? (written.stepSize ?? leastRiskStep(problem, domain, square))
        : 1 / positiveConvexity(problem);
    const bound = riskAfter(steps + 1, schedule, { decay, square, diameter: domain.diameter });
    const found = quantile === null ? null : 'a clip norm that is found by a quantile may cut gradients';
    const uncovered =
      found ?? gradient.bias ?? (bound < Infinity ? null : `the domain '${domain.name}' is unbounded`);
    const source =
      'shamir-zhang-2013, expected excess empirical risk of the last iterate, Theorem ' +
      `${schedule === 'convex' ? 2 : 1}`;
    return { ...draft, decay, utility: uncovered === null ? { bound, source } : null, uncovered };
  },
  *steps({ plan, registry, domain, start, allRecords, state, rounds }) {
    const { sampler, noiseMultiplier } = plan;
    domain.projectInto(start, start);
    const mean = yield* meanOfSteps(plan, registry, { at: start, batch: allRecords });
    const { w } = state({ w: start });
    for (const t of rounds(plan.steps)) {
      const gradient = yield* ask.mean({
        at: w,
        batch: allRecords,
        sampler,
        mean,
        target: { noiseMultiplier },
      });
      const stepSize = plan.decay / (plan.schedule === 'convex' ? Math.sqrt(t) : t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
    }
    return w;
  },
});

/** @throws {InvalidParameter} for more steps than can be counted. */
function squareOf(slots: number): number {
  const steps = slots ** 2;
  if (Number.isSafeInteger(steps)) return steps;
  throw new InvalidParameter(`the square of ${slots} records is more steps than can be counted; give steps`, {
    slots,
  });
}

/** @throws {Unsupported} where nothing is clipped and no Lipschitz constant of every record is declared. */
function meanOf(clipNorm: number | undefined, problem: Problem): Ref<'mean'> {
  if (clipNorm === undefined) requiredLipschitz(problem, 'clipNorm');
  return gaussianMean(clipNorm ?? null);
}

/**
 * The first step for which Theorem 2 is least.
 *
 * @throws {InvalidParameter} where nobody knows how long noisy gradients are.
 */
function leastRiskStep(problem: Problem, domain: Domain, square: number | null): number {
  if (square !== null) return diameterOf(problem, domain) / Math.sqrt(square);
  throw new InvalidParameter(
    'the mean does not say how long its answers are, by which stepSize is chosen; give stepSize',
    {},
  );
}

interface Risk {
  readonly decay: number;
  /** `null` where it is not known, and no theorem holds. */
  readonly square: number | null;
  readonly diameter: number;
}

/**
 * Theorems 2 and 1. Iterates keep within what the domain projects onto;
 * a declared diameter of an unbounded one sets the step size only.
 */
function riskAfter(
  count: number,
  schedule: 'convex' | 'strongly-convex',
  { decay, square, diameter }: Risk,
): number {
  if (square === null) return Infinity;
  if (schedule === 'convex')
    return ((diameter ** 2 / decay + decay * square) * (2 + Math.log(count))) / Math.sqrt(count);
  return (17 * square * decay * (1 + Math.log(count))) / count;
}

function positiveConvexity(problem: Problem): number {
  const convexity = problem.facts['strongConvexity']?.value;
  if (convexity === undefined)
    throw new MissingFact(
      "the problem declares no fact 'strongConvexity', which the strongly-convex schedule needs",
      ['strongConvexity'],
    );
  if (convexity > 0) return convexity;
  throw new InvalidParameter(
    `the fact 'strongConvexity' is ${convexity}; the strongly-convex schedule needs a positive one`,
    { strongConvexity: convexity },
  );
}
