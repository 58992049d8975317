import { ask, MissingFact } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { coordinateMedianOfMeans } from '@lethe/mechanisms';
import * as z from 'zod';
import { clippedGaussian, diameterOf } from '../common/problem-facts.js';
import { convexSgdSchedule } from './schedules/convex-sgd-schedule.js';
import { smoothnessOf, startDistanceOf, strongConvexityOf } from './facts.js';
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
import { smoothStronglyConvexSchedule, stepsOf } from './schedules/smooth-strongly-convex-schedule.js';
import { weightedSgd } from './weighted-sgd.js';

const params = z.strictObject(onePassSchema('Theorem 34'));

const averaged = <const Name extends string>({
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
    claims: claimsOfPass('Theorem 34', {
      statement:
        'what E‖w_{t+1} − w*‖² ≤ (1 − μη)E‖w_t − w*‖² − ' +
        'η(E F(w_{t+1}) − F* − 2B²/μ) + 2η²Σ² gives; ' +
        'without strong convexity D²/(2η(T+1)) + BD + ηΣ²',
      source: { id: 'lowy-razaviyayn', item: 'Proposition 32, repaired' },
    }),
    needs: { convex: true, smooth: true },
    ...declaredBy(privacyRestsOn),
    schedule: passSchema.extend({
      smoothness: z.number().nonnegative(),
      convexity: z.number().positive().nullable(),
      stepSize: z.number().positive().nullable(),
    }),
    plan(context) {
      const {
        problem,
        domain,
        params: { rounds, schedule },
      } = context;
      const smoothness = smoothnessOf(problem);
      const convexity = strongConvexityOf(problem);
      const startDistance = startDistanceOf(problem, domain);
      if (!(startDistance < Infinity))
        throw new MissingFact(
          `the domain '${domain.name}' is unbounded; declare the fact 'startDistance', an upper bound on ` +
            'the distance from the start to the minimiser, or use a bounded domain',
          ['startDistance'],
        );
      if (convexity === null && rounds === undefined && schedule !== 'least-bound')
        throw new MissingFact(
          "Theorem 34 needs the fact 'populationStrongConvexity', or 'strongConvexity'; declare it, or " +
            "give rounds, or leave them to the schedule 'least-bound'",
          ['populationStrongConvexity', 'strongConvexity'],
        );
      const diameter = convexity === null ? diameterOf(problem, domain) : startDistance;
      const {
        plan: { excessRisk, ...plan },
        unproved,
      } = planOnePass(
        { name, privacyRestsOn },
        context,
        { rounds: 0, smoothness: 1, convexity: null, stepSize: null },
        (facts, overrides) =>
          convexity === null
            ? convexSgdSchedule({ ...facts, smoothness, startDistance, diameter }, schedule, overrides)
            : {
                ...smoothStronglyConvexSchedule(
                  { ...facts, smoothness, convexity, diameter: startDistance },
                  schedule,
                  overrides,
                ),
                stepSize: null,
              },
      );
      const uncovered = unproved ?? (convexity === null ? driftOn(domain, plan) : null);
      return {
        ...plan,
        smoothness,
        convexity,
        startDistance,
        utility:
          uncovered === null
            ? {
                bound: excessRisk,
                source:
                  'lowy-razaviyayn, Proposition 32 ' +
                  `repaired${convexity === null ? ', without strong convexity' : ''}, with B and Σ of ` +
                  'the mean; expected excess population risk',
              }
            : null,
        uncovered,
      };
    },
    *steps({ plan, registry, domain, start, allRecords, ...loops }) {
      const { rounds, smoothness, convexity, stepSize } = plan;
      const from = domain.projectInto(start, start);
      const release = yield* releaseFound(plan, registry, { at: from, batch: allRecords });
      const batches = yield* batchesFor(plan, allRecords);
      const steps =
        convexity === null || stepSize !== null
          ? {
              stepSizes: new Float64Array(rounds + 1).fill(stepSize ?? 1 / smoothness),
              weights: new Float64Array(rounds + 1).fill(1),
            }
          : stepsOf({ smoothness, convexity, rounds }, plan.schedule);
      return yield* weightedSgd({
        rounds,
        ...steps,
        domain,
        start: from,
        loops: roundsOver(batches, loops),
        oracle: (at, t) => ask.mean({ at, batch: batches[t], ...release }),
      });
    },
  });

/**
 * Clipped stochastic gradient descent in one pass, for smooth, strongly convex risks with heavy-tailed
 * gradients. There are `T + 1` steps on disjoint batches; the result is a weighted average.
 *
 * Facts: `populationSmoothness` or `smoothness`; `populationStrongConvexity` or `strongConvexity` of the
 * risk; `gradientMoment.k` or `uniformGradientMoment.k` for one or more `k ≥ 2`, or `lipschitz` of every
 * record, which bounds all of them and the clip norm; `startDistance` if the domain is unbounded. None of
 * them enters a sensitivity. Without strong convexity steps are of one size, and the average is plain;
 * `rounds` must be given then if the schedule is not `least-bound`. A private quantile as `clipNorm` finds C
 * at the start, and leaves no bound.
 */
export const noisyClippedSgd = averaged({
  name: 'noisy-clipped-sgd',
  summary: 'One-pass projected gradient descent on private means of clipped gradients, weighted average.',
  item: 'Algorithms 6 and 7, Theorem 34',
  privacyRestsOn: 'clip',
  examples: [
    { rounds: 4, clipNorm: 1 },
    { rounds: 3, clipNorm: 2, mean: clippedGaussian(1), schedule: 'printed' },
    { rounds: 2, clipNorm: 2, mean: coordinateMedianOfMeans({ limit: 1, groups: 4 }), order: 'stored' },
  ],
});

/**
 * The same without clipping, with noise for the fact `lipschitz` of
 * every record: what was known for Lipschitz losses, to compare with.
 */
export const noisySgd = averaged({
  name: 'noisy-sgd',
  summary:
    'One-pass projected gradient descent on means with noise for the Lipschitz constant of every record.',
  item: 'Algorithm 7 without clipping',
  privacyRestsOn: 'every-record constants',
  examples: [{ rounds: 4 }, { rounds: 3, schedule: 'printed', order: 'stored' }],
});
