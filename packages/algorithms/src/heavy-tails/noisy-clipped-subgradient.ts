import { ask, referenceTo, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { defined, type Domain } from '@lethe/numerics';
import * as z from 'zod';
import { ballRadius, givenMean, meanAt, noiseOfMean } from '../common/given-mean.js';
import { clipNormSchema, plannedQuantileSchema } from '../common/private-clip.js';
import { centralSlots } from '../common/problem-facts.js';
import { populationLipschitzOf, startDistanceOf } from './facts.js';
import { askedClip, releaseFound } from './found-clip.js';
import { localizedExcessRisk } from './localized/excess-risk.js';
import type { LocalizedPhase } from './localized/phases.js';
import { uncoveredBy } from './localized/plan.js';
import { assertContracts, regularisedSubgradient } from './regularised-subgradient.js';
import { clippingBias } from './schedules/least-bound.js';
import { subgradientDistanceBound } from './schedules/subgradient-distance.js';
import { knownUniformMoments, type UniformMoments } from './moments/uniform-moments.js';

const name = 'noisy-clipped-subgradient';
const schedule = z.object({
  rounds: z.int().positive().describe('T.'),
  stepSize: z.number().positive().describe('η, at most 2/strength.'),
  strength: z
    .number()
    .min(0)
    .default(0)
    .describe('λ of the regulariser (λ/2)‖w − w_0‖² that is added to the average loss.'),
  clipNorm: z.number().positive().nullable().describe('C; `null` where it is found.'),
  quantile: z.nullable(plannedQuantileSchema),
  mean: referenceTo('mean').check(
    z.describe(
      'Private mean for subgradients of unit size. Left out: clipped to radius 1, with Gaussian noise.',
    ),
  ),
  noiseMultiplier: z
    .number()
    .positive()
    .describe(
      'Noise over sensitivity of a round, in the run’s adjacency. Left out: calibrated to the budget.',
    ),
});
const params = schedule
  .omit({ quantile: true })
  .extend({
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'C: size of subgradients that the mean is scaled to; or a quantile of the norms at the start, ' +
          'found privately. Only with a mean may it be left out, which is then as it is.',
      ),
  })
  .partial({ noiseMultiplier: true, mean: true })
  .strict()
  .refine(({ clipNorm, mean }) => clipNorm !== undefined || mean !== undefined, {
    message: 'give clipNorm, or a mean',
    path: ['clipNorm'],
  });

/**
 * Clipped subgradients of all records in every round, with Gaussian noise and a regulariser that pulls to the
 * start: differentially private empirical risk minimisation for convex losses with heavy tails that need not
 * be smooth. The regulariser is neither clipped nor paid for.
 *
 * `mean` is any central mean whose privacy rests on clipping, for
 * subgradients of unit size; bounds are for clipped ones in ℓ2.
 *
 * With a positive `strength` and bounded moments (facts `uniformGradientMoment.2k`, `k ≥ 2`, or `lipschitz`)
 * the plan bounds `E‖w_T − ŵ‖²`, the distance to the minimiser `ŵ` of the regularised average loss, and,
 * since that is stable, the expected excess population risk. Without, `plan.utility` is `null` and
 * `plan.uncovered` says why. A clip of at least the Lipschitz constant of every record has no bias. A private
 * quantile as `clipNorm` finds C at the start, and leaves no bound.
 */
export const noisyClippedSubgradient = defineOptimizer({
  name,
  summary: 'Full-batch clipped subgradient steps with noise and a pull to the start.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 3, Lemma 14' },
  params,
  examples: [
    { rounds: 7, stepSize: 0.25, strength: 0.5, clipNorm: 1 },
    { rounds: 4, stepSize: 0.1, clipNorm: 2 },
  ],
  claims: [
    {
      property: 'event',
      statement: 'T Gaussians of the planned multiplier, and one for each count of a quantile',
      source: { id: 'lowy-razaviyayn', item: 'Algorithm 3' },
    },
    {
      property: 'utility',
      statement: 'E F(w) − F* ≤ 2r_2²/(λn) + (λ/2)‖w_0 − w*‖² + L√(E‖w − ŵ‖²)',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 14, Proposition 40' },
    },
    { property: 'gradients', statement: 'n T, and n for each count of a quantile' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule,
  plan({ problem, registry, domain, budget, params: { mean: ref, ...asked }, noiseFor }) {
    const slots = centralSlots(problem);
    const { rounds, stepSize, strength } = asked;
    assertContracts(stepSize, strength);
    const needs = { optimizer: name, trust: 'central', privacyRestsOn: 'clip' } as const;
    const written = typeof asked.clipNorm === 'number' ? asked.clipNorm : undefined;
    const mean = givenMean(ref, registry, needs, written);
    const { quantile } = askedClip(asked.clipNorm, mean, { problem, budget });
    const clipNorm = quantile === null ? (written ?? 1) : null;
    const given = { ...asked, clipNorm, quantile, mean: mean.ref };
    const noiseMultiplier =
      given.noiseMultiplier ?? noiseFor((multiplier) => ({ ...given, noiseMultiplier: multiplier }));
    const batches = {
      problem,
      target: { noiseMultiplier },
      size: problem.adjacency === 'add-remove' ? ('hidden' as const) : ('exact' as const),
      honestIn: (size: number) => size,
    };
    const noise = clipNorm === null ? null : noiseOfMean(mean, batches, { clipNorm, batchSize: slots });
    const uncovered = obstacleIn(problem, domain, given) ?? uncoveredBy(mean, problem, quantile);
    const reached =
      uncovered === null && clipNorm !== null && noise !== null
        ? reachOf(problem, domain, {
            records: slots,
            rounds,
            stepSize,
            strength,
            clipNorm: defined(ballRadius(mean, problem, clipNorm)),
            noise,
          })
        : null;
    return {
      ...given,
      noiseMultiplier,
      noise,
      meanSquaredDistance: reached?.meanSquaredDistance ?? null,
      utility:
        reached === null
          ? null
          : {
              bound: reached.excessRisk,
              source: 'lowy-razaviyayn, Lemma 14 and Proposition 40; expected excess population risk',
            },
      uncovered,
    };
  },
  *steps({
    plan: { rounds, stepSize, strength, clipNorm, quantile, mean, noiseMultiplier },
    registry,
    domain,
    start,
    allRecords,
    ...loops
  }) {
    const centre = domain.projectInto(start, start);
    const target = { noiseMultiplier };
    const release = yield* releaseFound(
      { mean, release: { mean: meanAt(registry, mean, clipNorm ?? 1), target }, quantile },
      registry,
      { at: centre, batch: allRecords },
    );
    return yield* regularisedSubgradient({
      rounds,
      stepSize,
      strength,
      centre,
      domain,
      start: centre,
      loops,
      oracle: (at) => ask.mean({ at, batch: allRecords, ...release }),
    });
  },
});

/** Why the theory says nothing of where the run ends. */
function obstacleIn(
  problem: Problem,
  domain: Domain,
  { strength, stepSize }: { readonly strength: number; readonly stepSize: number },
): string | null {
  if (problem.adjacency === 'add-remove')
    return (
      'under add-remove means are divided by a guess: what is descended on is a multiple of the average ' +
      'loss, by a factor nobody knows'
    );
  if (strength === 0)
    return (
      'without a regulariser the minimiser of the average loss need not be stable, nor the last iterate ' +
      'near it: give a positive strength'
    );
  if (knownUniformMoments(problem, domain).length === 0)
    return (
      'no uniform moment of the gradients of order 4 or more is bounded: declare a fact such as ' +
      "'uniformGradientMoment.4', or 'lipschitz' of every record"
    );
  if (!(startDistanceOf(problem, domain) < Infinity))
    return (
      'the distance from the start to the minimiser is not bounded: ' +
      "use a bounded domain, or declare the fact 'startDistance'"
    );
  return stepSize * strength > 1 && domain.diameter === Infinity
    ? `on an unbounded domain steps above 1/strength = ${1 / strength} are not covered: take smaller ones`
    : null;
}

type Known = Pick<LocalizedPhase, 'records' | 'rounds' | 'stepSize' | 'strength' | 'clipNorm' | 'noise'>;

/**
 * The run as one phase of the localized method whose ball is
 * all of the domain, at the moments that bound its bias best.
 */
function reachOf(
  problem: Problem,
  domain: Domain,
  run: Known,
): { readonly meanSquaredDistance: number; readonly excessRisk: number } {
  const distance = startDistanceOf(problem, domain);
  const { dimension } = problem;
  const { clipNorm, strength, noise } = run;
  const biasAt = ({ order, uniformDoubleMoment: moment, longest }: UniformMoments): number =>
    clippingBias({ clipNorm, order, moment, longest, schedule: 'corrected' });
  const known = knownUniformMoments(problem, domain);
  const bias = Math.min(...known.map(biasAt));
  const { secondMoment, uniformSecondMoment } = known[0];
  const moment = Math.min(clipNorm, uniformSecondMoment);
  const extent = domain.diameter;
  const meanSquaredDistance = subgradientDistanceBound(
    {
      ...run,
      startDistance: Math.min(extent, uniformSecondMoment / strength),
      diameter: extent,
      moment,
      noiseVariance: dimension * noise ** 2,
      bias,
    },
    'sharp',
  );
  const excessRisk = localizedExcessRisk({
    phases: [{ ...run, bias, radius: extent }],
    dimension,
    distance,
    extent,
    lipschitz: Math.min(populationLipschitzOf(problem) ?? Infinity, secondMoment),
    secondMoment,
    uniformSecondMoment,
  });
  return { meanSquaredDistance: Math.min(meanSquaredDistance, extent ** 2), excessRisk };
}
