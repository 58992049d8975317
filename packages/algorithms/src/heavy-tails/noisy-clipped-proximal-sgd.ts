import { ask, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { coordinateMedianOfMeans } from '@lethe/mechanisms';
import { type Domain } from '@lethe/numerics';
import * as z from 'zod';
import { clippedGaussian } from '../common/problem-facts.js';
import { composite } from './composite.js';
import {
  populationLipschitzOf,
  proximalConstantOf,
  smoothnessOf,
  startDistanceOf,
  startGapOf,
} from './facts.js';
import { releaseFound } from './found-clip.js';
import {
  batchesFor,
  claimsOfPass,
  declaredBy,
  onePassSchema,
  passSchema,
  planOnePass,
  roundsOver,
  type Member,
} from './one-pass.js';
import { givenProximalSchedule, proximalPlSchedule } from './schedules/proximal-pl-schedule.js';
import { proximalSgd } from './proximal-sgd.js';

const params = z.strictObject(onePassSchema('Theorem 48'));

const proximal = <const Name extends string>({
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
    claims: claimsOfPass('Theorem 48', {
      statement: 'E F(w_T) − F* ≤ q^T Δ + (1 − q^T)(B² + Σ²)/(2μ), q = 1 − μ/(2β)',
      source: { id: 'lowy-razaviyayn', item: 'Proposition 46, sharpened' },
    }),
    // The smooth part is the risk, of which a fact tells; losses may be smooth on bounded sets only, or not
    // at all.
    ...declaredBy(privacyRestsOn),
    regularisers: 'any',
    schedule: passSchema.extend({ stepSize: z.number().positive() }),
    plan(context) {
      const {
        problem,
        domain,
        params: { schedule },
      } = context;
      const smoothness = positiveSmoothness(problem, domain);
      const convexity = proximalConstantOf(problem, context.regulariser, smoothness);
      const gap = startGapOf(problem, domain);
      composite(context);
      const lacking = [
        convexity === null
          ? "the fact 'proximalPolyakLojasiewicz', or 'populationStrongConvexity' of a convex risk, is " +
            'missing'
          : null,
        gap === null
          ? "the fact 'startGap', an upper bound on the excess risk of the start, is missing"
          : null,
      ]
        .filter((reason) => reason !== null)
        .join('; ');
      const {
        plan: { excessRisk, ...plan },
        unproved,
      } = planOnePass({ name, privacyRestsOn }, context, { stepSize: 1 }, (facts, overrides) =>
        convexity === null || gap === null
          ? givenProximalSchedule({ ...facts, lacking }, schedule, overrides)
          : proximalPlSchedule({ ...facts, smoothness, convexity, gap }, schedule, overrides),
      );
      const uncovered = [lacking, unproved ?? ''].filter((reason) => reason !== '').join('; ') || null;
      return {
        ...plan,
        smoothness,
        convexity,
        startGap: gap,
        stepSize: 1 / (2 * smoothness),
        utility:
          uncovered === null
            ? {
                bound: excessRisk,
                source:
                  'lowy-razaviyayn, Proposition 46 sharpened, ' +
                  'with B and Σ of the mean; expected excess population risk',
              }
            : null,
        uncovered,
      };
    },
    *steps({ plan, registry, domain, regulariser, start, allRecords, ...loops }) {
      const { enter, proxInto } = composite({ domain, regulariser });
      const from = enter(start);
      const release = yield* releaseFound(plan, registry, { at: from, batch: allRecords });
      const batches = yield* batchesFor(plan, allRecords);
      return yield* proximalSgd({
        rounds: plan.rounds,
        stepSizes: new Float64Array(plan.rounds).fill(plan.stepSize),
        proximal: proxInto,
        start: from,
        loops: roundsOver(batches, loops),
        oracle: (at, t) => ask.mean({ at, batch: batches[t], ...release }),
      });
    },
  });

/** Linear risks are smooth with any constant: they get steps of which one can cross the domain. */
const positiveSmoothness = (problem: Problem, domain: Domain): number => {
  const distance = startDistanceOf(problem, domain);
  return (
    smoothnessOf(problem) ||
    (populationLipschitzOf(problem) ?? 1) / (distance > 0 && distance < Infinity ? distance : 1) ||
    1
  );
};

/**
 * Clipped proximal stochastic gradient descent in one pass, for risks `F⁰ + f¹` with heavy-tailed gradients
 * that satisfy the proximal Polyak–Łojasiewicz condition; `F⁰` is smooth and may be non-convex, and losses of
 * records need not be smooth. `f¹` is the regulariser of the problem, and the indicator of its domain: sums
 * over coordinates go with a box, others with the whole space only.
 *
 * Facts: `populationSmoothness` or `smoothness` of `F⁰`; `proximalPolyakLojasiewicz`, or
 * `populationStrongConvexity` where the loss is convex, or a ridge; `startGap`, or without a regulariser
 * anything that bounds it; `gradientMoment.k` or `uniformGradientMoment.k` of the loss without regulariser
 * for one or more `k ≥ 2`, or its `lipschitz` of every record, which bounds all of them and the clip norm.
 * None of them enters a sensitivity. Where one is missing, `rounds` must be given, and there is no bound.
 */
export const noisyClippedProximalSgd = proximal({
  name: 'noisy-clipped-proximal-sgd',
  summary: 'One-pass proximal gradient descent on private means of clipped gradients.',
  item: 'Algorithms 8 and 9, Theorem 48',
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
export const noisyProximalSgd = proximal({
  name: 'noisy-proximal-sgd',
  summary:
    'One-pass proximal gradient descent on means with noise for the Lipschitz constant of every record.',
  item: 'Algorithm 9 without clipping',
  privacyRestsOn: 'every-record constants',
  examples: [{ rounds: 4 }, { rounds: 3, schedule: 'printed', order: 'stored' }],
});
