import {
  ask,
  composedEvent,
  findPlugin,
  IncompatiblePlugins,
  InvalidParameter,
  type Mechanism,
  MissingFact,
  type Noise,
  type Optimizer,
  type PlanContext,
  type PrivacyEvent,
  type Problem,
  type PublicPlan,
  referenceTo,
  type Run,
  selectionEvent,
  type Sensitivity,
  sensitivityUnder,
  type Statistic,
  unprotectedEvent,
  Unsupported,
} from '@lethe/core';
import { defineOptimizer, storedPlan } from '@lethe/curator';
import { l2Clip, laplace } from '@lethe/mechanisms';
import * as z from 'zod';
import { centralSlots, requiredLipschitz } from '../common/problem-facts.js';
import { boostingBudget, meanRuns, scoreMargin, type BoostingBudget } from './boosting-budget.js';

const params = z.strictObject({
  base: z
    ._default(referenceTo('optimizer'), { kind: 'optimizer', name: 'bias-reduced-sgd', params: {} })
    .describe('The optimizer whose runs are repeated.'),
  failure: z
    .number()
    .min(1e-9)
    .max(0.5)
    .default(0.1)
    .describe('β: probability with which the best run may miss the bound.'),
  stopProbability: z
    .number()
    .positive()
    .lt(1)
    .optional()
    .describe('γ: probability with which a run is the last. Left out: min(1/2, 3β/4).'),
  score: z
    .enum(['risk', 'gradient-norm'])
    .optional()
    .describe('What is least at the best run. Left out: the risk for convex losses, else the gradient norm.'),
});
type Params = z.output<typeof params>;
interface Score {
  readonly statistic: Extract<Statistic, { readonly of: 'risk' | 'gradient-norm' }>;
  readonly noise: Noise;
}

const schedule = z.object({
  base: z.looseObject({}),
  score: z.looseObject({}),
  stopProbability: z.number().positive().max(1),
  cap: z.int().positive(),
});

/**
 * The best of a random number of runs of another optimizer, by private selection: what one run attains with
 * probability 1/2 the best one attains with probability `1 − failure`. Each run, with public coins of its
 * own, is scored with Laplace noise, by its risk or by its gradient norm; the point with the least score is
 * all that is released.
 *
 * The printed split: runs at (ε/12, δ₁), scores at ε/12, `δ₁ = (δ/(4K))²` and `K = ⌈ln(2/δ)/γ⌉`. The risk
 * needs the fact `range` of every record, that losses are between 0 and B; a bound on how far one record’s
 * loss varies over points does not bound what a replaced record changes. The event of the plan is that of the
 * selection, and has to keep the budget.
 *
 * The base takes any reference to an optimizer under central trust whose plan draws no public coins and that
 * stops the same way for all answers. `plan.likely` is what the output exceeds with probability `failure` at
 * most: the excess empirical risk, or the gradient norm. `plan.utility` bounds the expected excess empirical
 * risk. They follow from `median` of the base’s plan, or from twice its `utility`; `plan.uncovered` says why
 * there is none.
 */
export const boosted = defineOptimizer({
  name: 'boosted',
  summary: 'The best of a random number of runs of an optimizer, by private selection.',
  source: { id: 'ghazi-2024', item: 'Algorithm 5' },
  params,
  examples: [
    {
      base: { name: 'dp-sgd', params: { steps: 2, rate: 0.5, clipNorm: 1, stepSize: 0.1 } },
      stopProbability: 0.5,
      score: 'gradient-norm',
    },
    {
      base: { name: 'bias-reduced-sgd', params: { calls: 2, clipNorm: 0.5, stepSize: 0.2 } },
      stopProbability: 0.5,
      score: 'gradient-norm',
    },
  ],
  claims: [
    {
      property: 'event',
      statement: 'the selection of runs of the base, each with its score; equal to the ledger’s',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  schedule,
  plan(context) {
    const { budget, params: written } = context;
    const stopProbability = written.stopProbability ?? Math.min(1 / 2, (3 * written.failure) / 4);
    const split = boostingBudget({ ...budget, stopProbability });
    const { cap } = split;
    const run = baseRun(split, context);
    const base = storedPlan(run);
    const { score, scale } = scoreOf(split, context);
    assertWithin(selectionEvent(composedEvent([run.plan.event, scored(split, context)]), split), context);
    const expectedRuns = meanRuns(split);
    const known = knownOf(run.plan, { split, score, scale }, context);
    return {
      base,
      score,
      stopProbability,
      cap,
      expectedRuns,
      expectedGradients: expectedRuns * expectedIn(run.plan),
      ...known,
    };
  },
  *steps({ plan, start, allRecords }) {
    const { base, score, stopProbability, cap } = plan;
    const best = yield* ask.select({ base, start, batch: allRecords, score, stopProbability, cap });
    return best.point;
  },
});

type Context = PlanContext<Params, Problem['capabilities']>;

/** @throws {Unsupported} and {IncompatiblePlugins} for a base that a selection does not repeat. */
function baseRun(
  { base: budget }: BoostingBudget,
  { problem, registry, params: { base }, calibrate, random }: Context,
): Run {
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', base.name);
  if (optimizer.stopping === 'adaptive')
    throw new Unsupported(
      `base '${base.name}' stops by its answers; ` +
        'the runs of a selection cost what is known before. Take another base.',
      { base: base.name },
    );
  if (optimizer.privacyRestsOn === 'convexity')
    throw new IncompatiblePlugins(
      `the privacy of base '${base.name}' rests on convexity, and that of 'boosted' on constants of every ` +
        'record; take another base',
      { base: base.name },
    );
  return optimizer.prepare({
    registry,
    problem,
    budget,
    params: base.params,
    calibrate,
    random,
    repeated: true,
  });
}

const statisticOf = ({ problem, params: { score } }: Context): 'risk' | 'gradient-norm' =>
  score ?? (problem.capabilities.convex === true ? 'risk' : 'gradient-norm');

/** How scores are released, and the scale of their noise. */
function scoreOf(
  { scoreMultiplier }: BoostingBudget,
  context: Context,
): { readonly score: Score; readonly scale: number } {
  const { problem } = context;
  const noise = { mechanism: laplace({}), target: { noiseMultiplier: scoreMultiplier } };
  const scaleOf = (sensitivity: Sensitivity): number =>
    (scoreMultiplier * sensitivityUnder(sensitivity, problem.adjacency, 'the score')) / centralSlots(problem);
  if (statisticOf(context) === 'risk') {
    const range = requiredRange(problem);
    return {
      score: { statistic: { of: 'risk' }, noise },
      scale: scaleOf({ 'replace-one': range, 'add-remove': range, 'zero-out': range }),
    };
  }
  const radius = requiredLipschitz(problem, "score: 'risk'");
  return {
    score: { statistic: { of: 'gradient-norm', bound: { by: 'clip', clip: l2Clip({ radius }) } }, noise },
    scale: scaleOf({ 'replace-one': 2 * radius, 'add-remove': radius, 'zero-out': radius }),
  };
}

/** @throws {Unsupported} without the range of every record's loss. */
function requiredRange({ facts }: Problem): number {
  const fact = facts['range'];
  if (fact?.scope === 'every-record') return fact.value;
  throw new MissingFact(
    "the problem declares no fact 'range' of every record, that losses are between 0 and it; take a " +
      "bounded domain and declare bounds of the records, or give score: 'gradient-norm'",
    ['range'],
  );
}

/** The event of one score. */
function scored({ scoreMultiplier }: BoostingBudget, context: Context): PrivacyEvent {
  const plugin = findPlugin<Mechanism>(context.registry, 'mechanism', laplace.name);
  const isRisk = statisticOf(context) === 'risk';
  const one = isRisk || context.problem.adjacency !== 'replace-one' ? 1 : 1 / 2;
  const replaced = isRisk || context.problem.adjacency === 'replace-one' ? 1 : 2;
  return plugin.event({}, scoreMultiplier, {
    'replace-one': replaced,
    'add-remove': one,
    'zero-out': one,
  });
}

/** @throws {InvalidParameter} for a selection that is not shown to keep the budget. */
function assertWithin(event: PrivacyEvent, { problem, budget, calibrate, params: { base } }: Context): void {
  try {
    calibrate({
      make: (count) => (count <= 1 ? event : unprotectedEvent),
      target: budget,
      adjacency: problem.adjacency,
      direction: 'smaller-is-private',
      integer: true,
    });
  } catch (cause) {
    if (!(cause instanceof Unsupported)) throw cause;
    throw new InvalidParameter(
      `the best of the runs of '${base.name}' is not shown to cost at most ε = ${budget.epsilon} at ` +
        `δ = ${budget.delta}; leave the noise of the base out, so that it is calibrated`,
      { base: base.name, ...budget },
      { cause },
    );
  }
}

const expectedIn = (plan: PublicPlan & { readonly expectedGradients?: number }): number =>
  plan.expectedGradients ?? plan.gradients;

interface Known {
  /** What the output exceeds with probability `failure` at most. */
  readonly likely: {
    readonly of: 'excess risk' | 'gradient norm';
    readonly bound: number;
    readonly failure: number;
  } | null;
  readonly utility: PublicPlan['utility'];
  readonly uncovered: string | null;
}

/** Theorem 6.1, from what the base attains with probability 1/2. */
function knownOf(
  base: PublicPlan,
  { split, score, scale }: { readonly split: BoostingBudget; readonly score: Score; readonly scale: number },
  { problem, params: { failure } }: Context,
): Known {
  const nothing = (uncovered: string): Known => ({ likely: null, utility: null, uncovered });
  const isRisk = score.statistic.of === 'risk';
  const attained = attainedBy(base, isRisk);
  if (attained === null)
    return nothing(
      `the plan of the base bounds no ${isRisk ? 'excess risk' : 'gradient norm'} ` +
        'that a run exceeds with probability 1/2 at most',
    );
  const margin = scoreMargin(split, failure);
  if (margin === null)
    return nothing(`with stopProbability ${split.stopProbability} all runs may fail with more than failure`);
  // Scores are rounded to a grid of 2⁻¹⁶ of the noise scale.
  const bound = attained + scale * (2 * margin + 2 ** -16);
  if (!isRisk) return { likely: { of: 'gradient norm', bound, failure }, utility: null, uncovered: null };
  return {
    likely: { of: 'excess risk', bound, failure },
    utility: {
      bound: bound + failure * requiredRange(problem),
      source: 'ghazi-2024, Theorem 6.1; expected excess empirical risk',
    },
    uncovered: null,
  };
}

interface WithMedian extends PublicPlan {
  readonly median?: { readonly of: string; readonly bound: number } | null;
}

/** What a run of the base exceeds with probability at most 1/2; by Markov's inequality where need be. */
function attainedBy({ median, utility }: WithMedian, isRisk: boolean): number | null {
  if (median !== undefined && median !== null) {
    if (isRisk) return median.of === 'excess risk' ? median.bound : null;
    return median.of === 'squared gradient norm' ? Math.sqrt(median.bound) : null;
  }
  const isEmpirical = utility !== null && utility.source.includes('excess empirical risk');
  return isRisk && isEmpirical ? 2 * utility.bound : null;
}
