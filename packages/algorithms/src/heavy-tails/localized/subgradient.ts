import { MissingFact } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { centralSlots } from '../../common/problem-facts.js';
import { populationLipschitzOf, startDistanceOf } from '../facts.js';
import { localizedPhases } from './phases.js';
import {
  largestClip,
  localizedSchema,
  phaseBudget,
  phaseCosts,
  phaseGradients,
  phasesSchema,
  plannedPhases,
  riskOf,
  uncoveredBy,
} from './plan.js';
import { localizedSteps } from './steps.js';
import { uniformMomentsOf } from '../moments/uniform-moments.js';

const name = 'localized-noisy-clipped-subgradient';

const params = z.strictObject({
  ...localizedSchema,
  stepSize: z
    .number()
    .positive()
    .optional()
    .describe('η, of which phase i takes 4⁻ⁱ. Left out: from Theorem 41, with a constant of 1.'),
});

/**
 * Localized clipped subgradients for convex risks with heavy tails that need not be smooth. Records are
 * assigned to phases of `n/2, n/4, …, 1`; each phase takes many regularised steps on all its records, within
 * a ball around where it starts, with a step size a quarter of the one before. Records beyond a power of two
 * are not read; the plan says how many are.
 *
 * `variant: 'subsampled'` draws about `√n_i` records in each round of a phase of `n_i` (Remark 13) and is
 * charged what those draws cost, exactly: `n^(3/2+1/k)` gradients up to logarithms instead of `n^(2+1/k)`.
 *
 * Facts: `uniformGradientMoment.2k` for one or more `k ≥ 2`, or `lipschitz`; `populationLipschitz` and
 * `gradientMoment.2` sharpen the bound; `startDistance`, or `diameter` if the domain is unbounded. None of
 * them enters a sensitivity. `plan.utility` bounds the expected excess population risk at the integers of the
 * plan, if records are independent and the facts hold. It is explicit and a worst case, and says something
 * for large `n` only.
 *
 * No phase clips at more than the `lipschitz` of every record, where nothing is cut and a clip has no bias.
 * `clipNorm: { by: 'private-quantile', share }` finds one clip norm for all phases at the start, by noisy
 * counts over all records, which take that share of the budget; there is no bound then.
 */
export const localizedSubgradient = defineOptimizer({
  name,
  summary:
    'Phases of regularised subgradient steps on halves of ' +
    'the records left, for heavy tails without smoothness.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 4, Theorem 41' },
  params,
  examples: [{ mostRounds: 3 }, { variant: 'subsampled', mostRounds: 2, clipNorm: 1, schedule: 'printed' }],
  claims: [
    {
      property: 'event',
      statement:
        'the costliest phase: T Gaussians of √T times the noise of one, or T of them on Poisson draws',
      source: { id: 'lowy-razaviyayn', item: 'Theorem 41, Remark 13' },
    },
    {
      property: 'utility',
      statement:
        'E F(w) − F* ≤ Σ_i [2r_2²/(λ_i n_i) + (λ_i/2)V_{i−1} + ' +
        'L V_{i−1}/(4D_i)] + L√V_l, V_i from Lemma 14 made sharp',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 14, Proposition 40' },
    },
    { property: 'gradients', statement: 'Σ n_i T_i; with draws that is the most there can be' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule: phasesSchema,
  plan(context) {
    const {
      problem,
      domain,
      params: { schedule, variant, momentOrder, order, noiseMultiplier, stepSize, mostRounds },
    } = context;
    const slots = centralSlots(problem);
    const { dimension } = problem;
    const distance = startDistanceOf(problem, domain);
    const costs = phaseCosts(name, context);
    if (!(distance > 0 && distance < Infinity))
      throw new MissingFact(
        `the distance from the start to the minimiser is bounded by ${distance} only; use a bounded ` +
          "domain, such as l2-ball, or declare the fact 'startDistance', positive and finite",
        ['startDistance'],
      );
    const whole = phaseBudget(costs, noiseMultiplier);
    const candidates = uniformMomentsOf(problem, domain, momentOrder).map((moments) => {
      const reach = {
        ...moments,
        dimension,
        distance,
        extent: domain.diameter,
        lipschitz: Math.min(populationLipschitzOf(problem) ?? Infinity, moments.secondMoment),
      };
      const made = localizedPhases({ ...reach, records: slots, epsilon: whole.epsilon }, schedule, {
        stepSize,
        mostRounds,
        clipNorm: costs.clipNorm ?? whole.clipNorm,
        largestClip: largestClip(costs, moments.longest),
      });
      return { reach, made, bound: riskOf(costs, { ...reach, phases: made.phases }, schedule) };
    });
    const { reach, made } = candidates.reduce((a, b) => (b.bound < a.bound ? b : a));
    const phases = plannedPhases(costs, made.phases, variant, noiseMultiplier);
    const uncovered = uncoveredBy(costs.mean, problem, costs.quantile);
    return {
      schedule,
      variant,
      order,
      momentOrder: reach.order,
      stepSize: made.stepSize,
      distance,
      epsilon: whole.epsilon,
      phases,
      recordsRead: made.records - 1,
      recordsDropped: slots - made.records + 1,
      mean: costs.mean.ref,
      quantile: costs.quantile,
      utility:
        uncovered === null
          ? {
              bound: riskOf(costs, { ...reach, phases }, schedule),
              source:
                'lowy-razaviyayn, Lemma 14 and Proposition 40 phase by phase; ' +
                'expected excess population risk',
            }
          : null,
      uncovered,
      expectedGradients: phaseGradients(phases),
    };
  },
  steps: (context) => localizedSteps(context),
});
