import { ask } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { coordinateMedianOfMeans } from '@lethe/mechanisms';
import * as z from 'zod';
import { clippedGaussian, diameterOf } from '../common/problem-facts.js';
import { acSa } from './ac-sa.js';
import { smoothnessOf, startDistanceOf } from './facts.js';
import { releaseFound } from './found-clip.js';
import {
  batchesFor,
  claimsOfPass,
  declaredBy,
  driftOn,
  onePassSchema,
  passSchema,
  planOnePass,
  roundsOver,
  type Member,
} from './one-pass.js';
import { smoothConvexSchedule } from './schedules/smooth-convex-schedule.js';

const params = z.strictObject(onePassSchema('Theorem 31'));

const accelerated = <const Name extends string>({
  name,
  summary,
  item,
  privacyRestsOn,
  examples,
}: Member<Name, typeof params>) =>
  defineOptimizer({
    name,
    summary,
    examples,
    params,
    source: { id: 'lowy-razaviyayn', item },
    claims: claimsOfPass('Theorem 31', {
      statement: 'E F(w) − F* ≤ 2ηR²/(T(T+1)) + 4(Σ²+B²)(T+2)/(3η) + BD, with R the distance from the start',
      source: { id: 'lowy-razaviyayn', item: 'Proposition 30' },
    }),
    needs: { convex: true, smooth: true },
    ...declaredBy(privacyRestsOn),
    schedule: passSchema.extend({ eta: z.number().positive() }),
    plan(context) {
      const { problem, domain } = context;
      const smoothness = smoothnessOf(problem);
      const diameter = diameterOf(problem, domain);
      const startDistance = startDistanceOf(problem, domain);
      const {
        plan: { excessRisk, ...plan },
        unproved,
      } = planOnePass({ name, privacyRestsOn }, context, { eta: 1 }, (facts, overrides) =>
        smoothConvexSchedule(
          { ...facts, smoothness, diameter, startDistance },
          context.params.schedule,
          overrides,
        ),
      );
      const uncovered = unproved ?? driftOn(domain, plan);
      return {
        ...plan,
        smoothness,
        diameter,
        startDistance,
        utility:
          uncovered === null
            ? {
                bound: excessRisk,
                source:
                  'lowy-razaviyayn, Proposition 30 with B and Σ of the mean; expected excess population risk',
              }
            : null,
        uncovered,
      };
    },
    *steps({ plan, registry, domain, start, allRecords, ...loops }) {
      const from = domain.projectInto(start, start);
      const release = yield* releaseFound(plan, registry, { at: from, batch: allRecords });
      const batches = yield* batchesFor(plan, allRecords);
      return yield* acSa({
        rounds: plan.rounds,
        eta: plan.eta,
        domain,
        start: from,
        loops: roundsOver(batches, loops),
        oracle: (at, t) => ask.mean({ at, batch: batches[t - 1], ...release }),
      });
    },
  });

/**
 * Accelerated clipped stochastic gradient descent in one pass, for smooth convex risks with heavy-tailed
 * gradients. Records are shuffled and split into `T` disjoint batches, so the whole run costs as much as one
 * round.
 *
 * Facts: `populationSmoothness`, of the risk itself, or `smoothness`; `gradientMoment.k` or
 * `uniformGradientMoment.k` for one or more `k ≥ 2`, upper bounds on `(E‖∇f‖^k)^(1/k)`, or `lipschitz` of
 * every record, which bounds all of them and the clip norm; `diameter` if the domain is unbounded, where a
 * bias leaves no bound; `startDistance`, where it is less than the diameter. None of them enters a
 * sensitivity: a wrong one costs accuracy, not privacy. `plan.utility` bounds the expected excess population
 * risk, if the records are independent and the facts hold; `plan.printedBound` is the paper's.
 *
 * `clipNorm: { by: 'private-quantile', share }` finds C at the start by noisy counts over all records, which
 * take that share of the budget; there is no bound then.
 *
 * It runs in the central and in the shuffle model, according to the mean.
 */
export const noisyClippedAcSa = accelerated({
  name: 'noisy-clipped-ac-sa',
  summary: 'One-pass accelerated gradient descent on private means of clipped gradients.',
  item: 'Algorithms 2 and 5, Theorem 31',
  privacyRestsOn: 'clip',
  examples: [
    { rounds: 4, clipNorm: 1 },
    { rounds: 3, clipNorm: 2, mean: clippedGaussian(1), schedule: 'printed' },
    { rounds: 2, clipNorm: 2, mean: coordinateMedianOfMeans({ limit: 1, groups: 4 }), order: 'stored' },
    { rounds: 3, clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 } },
  ],
});

/**
 * The same without clipping, with noise for the fact `lipschitz` of every record: what was known for
 * Lipschitz losses, to compare with. Facts as for {@link noisyClippedAcSa}; moments are not needed.
 */
export const noisyAcSa = accelerated({
  name: 'noisy-ac-sa',
  summary:
    'One-pass accelerated gradient descent on means with noise for the Lipschitz constant of every record.',
  item: 'Algorithm 5 without clipping',
  privacyRestsOn: 'every-record constants',
  examples: [{ rounds: 4 }, { rounds: 3, schedule: 'printed', order: 'stored' }],
});
