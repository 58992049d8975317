import { ask, type Batch, InvalidParameter, MissingFact, type Program, referenceTo } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { coordinateMedianOfMeans } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { clipOfRadius, errorOfMean, fewestRecords, givenMean, meanAt, stated } from '../common/given-mean.js';
import { centralSlots, clippedGaussian } from '../common/problem-facts.js';
import { givenLengthSchema } from '../common/private-clip.js';
import {
  knownMoments,
  populationLipschitzOf,
  smoothnessOf,
  startDistanceOf,
  strongConvexityOf,
} from './facts.js';
import { descentDistanceBound } from './descent-distance.js';

const name = 'heavy-tailed-gradient-descent';
const medians = coordinateMedianOfMeans({ limit: 1, groups: 4 });

const params = z.strictObject({
  mean: z
    ._default(referenceTo('mean'), medians)
    .describe(
      'Private mean for gradients of unit size. Left out: the median of the means of four groups, ' +
        'coordinate by coordinate.',
    ),
  batches: z
    .enum(['everyone', 'disjoint'])
    .default('everyone')
    .describe('All records in every round, or records of its own for each round.'),
  momentOrder: z
    .number()
    .min(2)
    .optional()
    .describe('k. Left out: the declared order with the least mean squared error.'),
  rounds: z
    .int()
    .positive()
    .optional()
    .describe('T. Left out: until the start matters no more than one record.'),
  clipNorm: z
    .optional(
      givenLengthSchema(
        'medians clip entries, and a quantile of whole norms says nothing of these; give a number, or ' +
          'leave it out for the norm of the least proved error',
      ),
    )
    .describe(
      'To which gradients are clipped, or each of their entries for medians. ' +
        'Left out: where the clip’s bias meets the noise.',
    ),
  strongConvexity: z
    .number()
    .positive()
    .optional()
    .describe('μ of the risk. Left out: the fact populationStrongConvexity, or strongConvexity.'),
  interiorMinimiser: z
    .boolean()
    .default(false)
    .describe(
      'Whether the gradient of the risk is known to vanish at its minimiser, as earlier work assumes; it ' +
        'only matters for the predicted bound.',
    ),
  noiseMultiplier: z
    .number()
    .positive()
    .optional()
    .describe(
      'Noise over sensitivity of a round, in the run’s adjacency. Left out: calibrated to the budget.',
    ),
});

/**
 * Gradient descent on private means of heavy-tailed gradients, for smooth strongly convex risks, with steps
 * of `1/(μ + β)`: what came before the methods of Lowy and Razaviyayn, to compare with.
 *
 * Facts: `populationSmoothness` or `smoothness`; `populationStrongConvexity` or `strongConvexity`;
 * `gradientMoment.k`, or `lipschitz` of every record; `startDistance`, or a bounded domain. With disjoint
 * batches, where each round has records of its own, `plan.utility` bounds the expected excess population
 * risk by `L V + (β/2)V²`, `V² ≥ E‖w_T − w*‖²` (`descentDistanceBound`), with `L ≥ ‖∇F‖`, which
 * `interiorMinimiser` leaves out: on the boundary the gradient need not vanish. With all records in every
 * round the error at an iterate that depends on them is not bounded by moments, `plan.utility` is `null`,
 * and `plan.uncovered` says so.
 */
export const heavyTailedGradientDescent = defineOptimizer({
  name,
  summary: 'Gradient descent on private medians of means, or clipped means, of heavy-tailed gradients.',
  source: {
    id: 'kamath-liu-zhang-2022',
    item: 'Theorem 5.6, as restated and corrected by Lowy and Razaviyayn, Appendix C',
  },
  params,
  examples: [
    { rounds: 5, strongConvexity: 0.25, clipNorm: 1 },
    { rounds: 3, strongConvexity: 0.125, batches: 'disjoint', mean: clippedGaussian(1) },
  ],
  claims: [
    {
      property: 'event',
      statement: 'T Gaussians of the planned multiplier, or one where records are disjoint',
    },
    {
      property: 'utility',
      statement:
        'E F(w) − F* ≤ L V + (β/2)V², V = q^T R + (G/(μ+β))(1 − q^T)/(1 − q), q = β/(μ+β), on disjoint ' +
        'records; with a minimiser inside of the domain L is 0',
      source: { id: 'lowy-razaviyayn', item: 'Appendix C, Eq. 7' },
    },
    { property: 'gradients', statement: 'n T, or n at most where records are disjoint' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule: z.looseObject({
    rounds: z.int().positive(),
    batches: params.shape.batches,
    batchSize: z.int().positive(),
    stepSize: z.number().positive(),
    release: z.strictObject({ mean: referenceTo('mean'), target: z.unknown() }),
  }),
  plan({ problem, registry, domain, params: given, noiseFor }) {
    const { batches, interiorMinimiser } = given;
    const slots = centralSlots(problem);
    const convexity = given.strongConvexity ?? strongConvexityOf(problem);
    const declared = smoothnessOf(problem);
    if (convexity === null)
      throw new MissingFact(
        "the problem declares no strong convexity: declare the fact 'populationStrongConvexity' or " +
          "'strongConvexity', or give the parameter strongConvexity",
        ['populationStrongConvexity', 'strongConvexity'],
      );
    const smoothness = Math.max(declared, convexity);
    // The logarithm of the contraction, also where that rounds to 1.
    const enough = Math.max(1, Math.ceil(Math.log(slots) / Math.log1p(convexity / smoothness)));
    const needs = { optimizer: name, trust: 'central', privacyRestsOn: 'clip' } as const;
    const mean = givenMean(given.mean, registry, needs, given.clipNorm);
    const batchesOf = (noiseMultiplier: number) => ({
      problem,
      target: { noiseMultiplier },
      honestIn: (size: number) => size,
    });
    const most = Math.max(1, Math.floor(slots / fewestRecords(mean, batchesOf(1), slots)));
    const rounds = given.rounds ?? (batches === 'everyone' ? enough : Math.min(enough, most));
    const batchSize = batches === 'everyone' ? slots : Math.floor(slots / rounds);
    if (!Number.isSafeInteger(rounds))
      throw new InvalidParameter(
        `a strong convexity of ${convexity} and a smoothness of ${smoothness} ask for ${rounds} rounds, ` +
          'more than can be counted; give rounds',
        { convexity, smoothness },
      );
    if (batchSize < 1)
      throw new InvalidParameter(
        `${rounds} rounds of records of their own need at least as many slots; there are ${slots}. Give ` +
          "fewer rounds, or batches 'everyone'",
        { rounds, slots },
      );
    const draftAt = (clipNorm: number, noiseMultiplier: number) => ({
      rounds,
      batches,
      batchSize,
      release: { mean: meanAt(registry, given.mean, clipNorm), target: { noiseMultiplier } },
    });
    const noiseAt = (clipNorm: number): number =>
      given.noiseMultiplier ?? noiseFor((multiplier) => ({ ...draftAt(clipNorm, multiplier), stepSize: 1 }));
    const leastError = (noiseMultiplier: number, asked = given.clipNorm) => {
      const candidates = knownMoments(problem, domain, given.momentOrder).map((moments) => {
        const { order, moment, longest } = moments;
        const whole = longest === undefined ? null : clipOfRadius(mean, problem, longest);
        const error = stated(mean, errorOfMean(mean, batchesOf(noiseMultiplier), moments));
        const unitNoise = (): number => error(moment, batchSize).noise / moment;
        const clipNorm =
          asked ??
          Math.min(moment * (Math.sqrt(problem.dimension) * unitNoise()) ** (-1 / order), whole ?? Infinity);
        return { momentOrder: order < Infinity ? order : null, clipNorm, ...error(clipNorm, batchSize) };
      });
      return candidates.reduce((a, b) => (b.bias ** 2 + b.variance < a.bias ** 2 + a.variance ? b : a));
    };
    const first = noiseAt(given.clipNorm ?? 1);
    const chosen = leastError(first);
    // On a grid the mean at the chosen clip norm may cost otherwise than that of unit size.
    const noiseMultiplier = noiseAt(chosen.clipNorm);
    const best = noiseMultiplier === first ? chosen : leastError(noiseMultiplier, chosen.clipNorm);
    const startDistance = startDistanceOf(problem, domain);
    const slope = interiorMinimiser ? 0 : defined(populationLipschitzOf(problem));
    let uncovered: string | null;
    if (batches === 'everyone')
      uncovered =
        'all records take part in every round: moments do not bound the error of their mean at iterates ' +
        'that depend on them. Take disjoint batches.';
    else if (startDistance < Infinity) uncovered = null;
    else
      uncovered =
        'the distance from the start to the minimiser is not bounded: ' +
        "use a bounded domain, or declare the fact 'startDistance'";
    const distance =
      uncovered === null
        ? descentDistanceBound({
            convexity,
            smoothness,
            rounds,
            startDistance,
            error: Math.sqrt(best.bias ** 2 + best.variance),
          })
        : null;
    return {
      ...draftAt(best.clipNorm, noiseMultiplier),
      ...best,
      clipNorm: mean.hasUnits ? best.clipNorm : null,
      mean: given.mean,
      noiseMultiplier,
      interiorMinimiser,
      convexity,
      smoothness,
      stepSize: 1 / (convexity + smoothness),
      utility:
        distance === null
          ? null
          : {
              bound: slope * distance + (smoothness / 2) * distance ** 2,
              source: 'lowy-razaviyayn, Eq. 7 in root mean square; expected excess population risk',
            },
      uncovered,
    };
  },
  *steps({ plan, domain, start, allRecords, state, rounds, parts }) {
    const { w } = state({ w: domain.projectInto(start, start) });
    function* step(batch: Batch): Program<void> {
      const gradient = yield* ask.mean({ at: w, batch, ...plan.release });
      for (let j = 0; j < w.length; j++) w[j] -= plan.stepSize * gradient[j];
      domain.projectInto(w, w);
    }
    if (plan.batches === 'everyone') {
      for (const _ of rounds(plan.rounds)) yield* step(allRecords);
    } else {
      const sizes = Array.from({ length: plan.rounds }, () => plan.batchSize);
      const batches = yield* ask.split({ of: allRecords, order: 'shuffled', parts: { by: 'size', sizes } });
      for (const [, batch] of parts(batches)) yield* step(batch);
    }
    return w;
  },
});
