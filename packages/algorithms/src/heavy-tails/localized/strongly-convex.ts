import { InvalidParameter, MissingFact } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { centralSlots } from '../../common/problem-facts.js';
import { populationLipschitzOf, startDistanceOf, strongConvexityOf } from '../facts.js';
import type { LocalizedRun } from './excess-risk.js';
import {
  localizedPhases,
  type LocalizedFacts,
  type LocalizedOverrides,
  type LocalizedPhase,
} from './phases.js';
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
  type PlannedPhase,
} from './plan.js';
import { localizedSteps } from './steps.js';
import { stronglyConvexBlocks } from './strongly-convex-blocks.js';
import { uniformMomentsOf } from '../moments/uniform-moments.js';

const name = 'localized-strongly-convex';

const params = z.strictObject({
  ...localizedSchema,
  strongConvexity: z
    .number()
    .positive()
    .optional()
    .describe('μ of the risk. Left out: the fact populationStrongConvexity, or strongConvexity.'),
  rateConstant: z
    .number()
    .min(1)
    .optional()
    .describe(
      'Steps are for distances that shrink as the rate of Theorem 12 says, with this constant. Left out: ' +
        'as the proved bound says.',
    ),
});

/** What is known of the whole run; `distance` is that of its start. */
interface Reach extends Omit<LocalizedFacts, 'records'>, Omit<LocalizedRun, 'phases'> {
  readonly convexity: number;
  readonly sure: number;
  /** The bound on the excess risk of phases that start that far away. */
  risk(phases: LocalizedRun['phases'], distance: number): number;
}

/**
 * Localized clipped subgradients for strongly convex risks that need not be smooth:
 * {@link localizedSubgradient} on about `log₂ log₂ n` blocks of doubling size, each from the result of the
 * one before. Its step sizes follow bounds on the distance to the minimiser, which the paper leaves open:
 * `D_j = √(2Δ_j/μ)`, with `Δ_j` the proved bound after block `j`; or, with `rateConstant`, the rate of
 * Theorem 12 times that, and never larger than `D_{j−1}`.
 *
 * Facts, parameters and cost are those of {@link localizedSubgradient}, and `populationStrongConvexity` or
 * `strongConvexity`. At least 16 records are needed. `plan.utility` bounds the expected excess population
 * risk whichever way steps are chosen.
 */
export const localizedStronglyConvex = defineOptimizer({
  name,
  summary: 'The localized subgradient method on blocks of doubling size, for strongly convex risks.',
  source: { id: 'lowy-razaviyayn', item: 'Appendix G.3, Theorem 43' },
  params,
  examples: [
    { strongConvexity: 0.5, mostRounds: 2 },
    { strongConvexity: 1, rateConstant: 1, variant: 'subsampled', mostRounds: 1, clipNorm: 1 },
  ],
  claims: [
    {
      property: 'event',
      statement: 'the costliest phase of all blocks',
      source: { id: 'lowy-razaviyayn', item: 'Theorem 43' },
    },
    {
      property: 'utility',
      statement:
        'the bound of the localized method on the last block, from the root mean square distance √(2Δ/μ) ' +
        'that the block before leaves',
      source: { id: 'lowy-razaviyayn', item: 'Theorem 43' },
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
      params: {
        schedule,
        variant,
        momentOrder,
        order,
        noiseMultiplier,
        strongConvexity,
        rateConstant,
        mostRounds,
      },
    } = context;
    const slots = centralSlots(problem);
    const { dimension } = problem;
    const costs = phaseCosts(name, context);
    const convexity = strongConvexity ?? strongConvexityOf(problem);
    if (convexity === null)
      throw new MissingFact(
        "the problem declares no strong convexity: declare the fact 'populationStrongConvexity' or " +
          "'strongConvexity', or give the parameter strongConvexity",
        ['populationStrongConvexity', 'strongConvexity'],
      );
    if (slots < 16)
      throw new InvalidParameter(
        `${slots} slots are too few for blocks of growing size; at least 16 are needed`,
        { slots },
      );
    const blocks = stronglyConvexBlocks(slots);
    const whole = phaseBudget(costs, noiseMultiplier);
    const candidates = uniformMomentsOf(problem, domain, momentOrder).map((moments) => {
      const lipschitz = Math.min(populationLipschitzOf(problem) ?? Infinity, moments.secondMoment);
      // μ/2 of the squared distance is at most the excess risk, and that at most L times the distance.
      const sure = Math.min(domain.diameter, (2 * lipschitz) / convexity);
      const distance = Math.min(sure, startDistanceOf(problem, domain));
      if (!(distance > 0))
        throw new InvalidParameter(
          `the distance from the start to the minimiser is declared to be ${distance}; it must be positive`,
          { distance },
        );
      const known = {
        ...moments,
        dimension,
        distance,
        sure,
        extent: domain.diameter,
        lipschitz,
        convexity,
        epsilon: whole.epsilon,
      };
      const reach: Reach = {
        ...known,
        risk: (phases, from) => riskOf(costs, { ...known, phases, distance: from }, schedule),
      };
      const made = blocksOf(reach, blocks, {
        schedule,
        rateConstant,
        overrides: {
          mostRounds,
          clipNorm: costs.clipNorm ?? whole.clipNorm,
          largestClip: largestClip(costs, moments.longest),
        },
      });
      return { reach, made, bound: riskAfter(reach, made) };
    });
    const { reach, made } = candidates.reduce((a, b) => (b.bound < a.bound ? b : a));
    const phases = plannedPhases(
      costs,
      made.flatMap((block) => block.phases),
      variant,
      noiseMultiplier,
    );
    const uncovered = uncoveredBy(costs.mean, problem, costs.quantile);
    const recordsRead = phases.reduce((sum, { records }) => sum + records, 0);
    let taken = 0;
    const noised = made.map((block) => ({ phases: phases.slice(taken, (taken += block.phases.length)) }));
    return {
      schedule,
      variant,
      order,
      momentOrder: reach.order,
      strongConvexity: convexity,
      rateConstant: rateConstant ?? null,
      epsilon: whole.epsilon,
      blocks: made.map(({ phases: { length }, distance }, j) => ({
        records: blocks[j],
        phases: length,
        distance,
      })),
      phases,
      recordsRead,
      recordsDropped: slots - recordsRead,
      mean: costs.mean.ref,
      quantile: costs.quantile,
      utility:
        uncovered === null
          ? {
              bound: riskAfter(reach, noised),
              source:
                'lowy-razaviyayn, Theorem 43’s recursion on the ' +
                'explicit bound; expected excess population risk',
            }
          : null,
      uncovered,
      expectedGradients: phaseGradients(phases),
    };
  },
  steps: (context) => localizedSteps(context),
});

/** Phases of every block, each for the distance that the block before it is said to leave. */
function blocksOf(
  reach: Reach,
  blocks: readonly number[],
  {
    schedule,
    rateConstant,
    overrides,
  }: {
    readonly schedule: 'corrected' | 'printed';
    readonly rateConstant: number | undefined;
    readonly overrides: LocalizedOverrides;
  },
): readonly { readonly distance: number; readonly phases: readonly LocalizedPhase[] }[] {
  let { distance } = reach;
  return blocks.map((records) => {
    const { phases } = localizedPhases({ ...reach, records, distance }, schedule, overrides);
    const block = { distance, phases };
    distance =
      rateConstant === undefined
        ? distanceAfter(reach, reach.risk(phases, distance))
        : Math.min(
            distance,
            Math.sqrt((2 * rateConstant * distance * rateOf(reach, records)) / reach.convexity),
          );
    return block;
  });
}

/** Theorem 12 without constant and distance. */
const rateOf = ({ uniformDoubleMoment, dimension, epsilon, order }: Reach, records: number): number =>
  uniformDoubleMoment *
  (records ** -0.5 +
    (Math.sqrt(dimension * Math.log(records)) / (epsilon * records)) ** ((order - 1) / order));

/** Root mean square distance to the minimiser, from a bound on the expected excess risk. */
const distanceAfter = ({ convexity, sure }: Reach, excess: number): number =>
  Math.min(sure, Math.sqrt((2 * excess) / convexity));

/**
 * Bound after the last of blocks: whatever steps were chosen for, distances are followed by what is proved.
 */
function riskAfter(
  reach: Reach,
  blocks: readonly { readonly phases: readonly (LocalizedPhase | PlannedPhase)[] }[],
): number {
  return blocks.reduce(
    ({ distance }, { phases }) => {
      const excess = reach.risk(phases, distance);
      return { excess, distance: distanceAfter(reach, excess) };
    },
    { excess: Infinity, distance: reach.distance },
  ).excess;
}
