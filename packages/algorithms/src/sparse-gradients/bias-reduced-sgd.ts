import {
  InvalidParameter,
  seededRandom,
  Unsupported,
  unprotectedEvent,
  type Batch,
  type Loops,
  type PlanContext,
  type PrivacyEvent,
  type Problem,
  type Program,
  type RandomSource,
  type Ref,
  type Vector,
} from '@lethe/core';
import { defineOptimizer, priceOfRun } from '@lethe/curator';
import { biasReducedEstimate, fixedSize, levelsFor, projectionMechanism } from '@lethe/mechanisms';
import type { Domain } from '@lethe/numerics';
import * as z from 'zod';
import { assertMeanFits, meanAt } from '../common/given-mean.js';
import {
  clipNormSchema,
  meanOfSteps,
  plannedQuantileSchema,
  type PlannedQuantile,
} from '../common/private-clip.js';
import { centralSlots, lipschitzOf, requiredLipschitz } from '../common/problem-facts.js';
import { foundBefore, quantileBefore } from '../standard/quantile-before.js';
import { plannedParts } from '../standard/step-parts.js';
import { releaseCost } from '../standard/step-price.js';
import { noiseSchema } from '../standard/with-noise.js';
import {
  estimateError,
  medianBound,
  regretBound,
  stationarityBound,
  type CappedSteps,
} from './bias-reduced-utility.js';
import { drawnLevels, likelyCalls, stoppingBounds } from './law-of-stopping.js';
import { likelyLevels } from './level-counts.js';
import { sparsityOf } from './record-facts.js';

/** A plan lists the levels of its calls, and prices them one by one. */
const mostCalls = 1_000_000;
/** Calls where their number is left out: pricing as many takes seconds. */
const mostChosenCalls = 10_000;

const params = z
  .strictObject({
    stopping: z
      .enum(['exact', 'printed'])
      .default('exact')
      .describe(
        'exact: ends where the event of all calls would exceed the budget. printed: ends by the filter ' +
          'of the paper, with noise for (ε/32, δ/16) a mean.',
      ),
    literal: z
      .boolean()
      .default(false)
      .describe('The printed loop as it stands: without a cap, with two more calls than it averages over.'),
    calls: z
      .int()
      .positive()
      .max(mostCalls)
      .optional()
      .describe(
        'τ: the most calls. Left out: n/ln(2/δ), at most 10 000; for the printed rule, by the law of its T.',
      ),
    early: z
      .number()
      .min(1e-6)
      .lt(1)
      .default(0.25)
      .describe('Probability with which a run may end before `calls`.'),
    stepSize: z
      .number()
      .positive()
      .optional()
      .describe('Left out: the step for which the bound on the risk, or on the gradient, is least.'),
    returns: z
      .enum(['average', 'uniform-iterate'])
      .optional()
      .describe('Left out: the average for convex losses, and an iterate drawn uniformly for others.'),
    initialGap: z
      .number()
      .positive()
      .optional()
      .describe('Γ: what the average loss can fall from the start; for losses that are not convex.'),
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'ℓ2 norm to which each gradient is scaled down; or a quantile of the norms at the start, found ' +
          'privately. Left out: the fact lipschitz.',
      ),
    sparsity: z
      .int()
      .positive()
      .optional()
      .describe('Entries of a gradient that differ from zero. Left out: the fact sparsity, or all entries.'),
    mean: z.optional(plannedParts.mean),
    noiseMultiplier: z.optional(noiseSchema),
  })
  .refine(({ mean, clipNorm, sparsity }) => mean === undefined || (clipNorm ?? sparsity) === undefined, {
    message: 'a mean by reference has a radius and a sparsity of its own; leave clipNorm and sparsity out',
    path: ['mean'],
  })
  .refine(({ stopping, literal }) => stopping === 'printed' || !literal, {
    message: "the literal loop is the printed one; give stopping: 'printed' with it",
    path: ['literal'],
  })
  .refine(({ stopping, noiseMultiplier }) => stopping === 'exact' || noiseMultiplier === undefined, {
    message: 'the printed rule has a noise of its own; leave noiseMultiplier out',
    path: ['noiseMultiplier'],
  })
  .refine(({ stopping, clipNorm }) => stopping === 'exact' || typeof clipNorm !== 'object', {
    message: 'the printed rule leaves no privacy for the counts of a quantile; give clipNorm as a number',
    path: ['clipNorm'],
  })
  .refine(({ literal, calls }) => !literal || calls === undefined, {
    message: 'the literal loop has no cap; leave calls out',
    path: ['calls'],
  });
type Params = z.output<typeof params>;

const output = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('average'), iterates: z.int().positive() }),
  z.strictObject({ by: z.literal('iterate'), index: z.int().nonnegative() }),
]);
const schedule = z.object({
  drawnBy: z
    .enum(['plan', 'run'])
    .describe('Whether `levels` are those of the calls, or as many of each as a run may draw at most.'),
  levels: z.array(z.int().nonnegative()),
  mean: plannedParts.mean,
  quantile: z.nullable(plannedQuantileSchema),
  noiseMultiplier: noiseSchema,
  stepSize: z.number().positive(),
  output,
});
/** How a batch is asked for; with a quantile the mean is for gradients of unit size. */
type Release = Readonly<Pick<z.output<typeof schedule>, 'mean' | 'noiseMultiplier'>> & {
  readonly quantile: PlannedQuantile | null;
};
type Calls = Release & { readonly levels: readonly number[] };

/**
 * Projected gradient descent on bias-reduced estimates: each call draws a level N from public coins and
 * combines private means over `2^(N+1)` records, over their halves and over one record, so that it costs
 * `log₂ n` gradients in expectation and has the bias of a mean over more than half of all records. Convex
 * losses are given the average of all iterates, others one that is drawn uniformly.
 *
 * Noise multiplier, mean and the most calls τ are fixed before a level is drawn, and levels are never drawn
 * again: noise that depends on them would undo the telescoping that removes the bias. The run makes the calls
 * that fit, `T` of at most τ; T is a function of public coins. With `stopping: 'exact'` the noise is the
 * least with which τ calls keep the budget with probability `1 − early`, and the exact event of the drawn
 * levels decides T. With `printed` every mean is (ε/32, δ/16)-private and the paper's filter of (ε/2, δ/2)
 * decides; `literal` adds the two calls that its loop makes and does not use, and drops the cap.
 *
 * `mean` is any central mean whose privacy rests on clipping; left out it is the projection mechanism for
 * records of norm `clipNorm` and `sparsity` entries. Its noise depends on the size of a batch alone.
 *
 * `clipNorm: { by: 'private-quantile', share }` finds the clip norm at the start, by noisy counts over all
 * records, which take that share of the budget; calls and their noise take the rest. The step is that for a
 * mean that cuts nothing, and there is no bound then.
 *
 * Where several runs follow one plan, each draws its own levels, up to `calls` and as many of each as are
 * likely: it ends at the first that there are no more of. The event of the plan has all of them.
 *
 * `plan.utility` bounds the expected excess empirical risk over randomness, levels among them, for convex
 * losses on bounded domains. `plan.median` is what the theorems bound but with probability 1/2: the excess
 * risk, or the squared gradient norm of the uniform iterate. `plan.uncovered` says why there is none.
 */
export const biasReducedSgd = defineOptimizer({
  name: 'bias-reduced-sgd',
  summary: 'Gradient descent on bias-reduced estimates from nested batches, for sparse gradients.',
  source: { id: 'ghazi-2024', item: 'Algorithm 4' },
  params,
  examples: [
    { calls: 4, stepSize: 0.1 },
    {
      calls: 3,
      clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2 },
      stepSize: 0.2,
    },
    { stopping: 'printed', clipNorm: 0.5, stepSize: 0.1 },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'the calls of the drawn levels, each two sampled batches of releases, and one release for each ' +
        'count of a quantile; equal to the ledger’s',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'public-coins',
  schedule,
  plan(context) {
    const { problem, registry, params: written, random } = context;
    const { stopping, literal, early } = written;
    const { quantile, gradients } = quantileBefore(written.clipNorm, context);
    const mean = written.mean ?? projectionFor(problem, written);
    assertMeanFits(registry, mean, {
      optimizer: 'bias-reduced-sgd',
      trust: 'central',
      privacyRestsOn: 'clip',
    });
    const { calls, isLikely, noiseMultiplier, levels, stopped } = callsFor({ mean, quantile }, context);
    const release = { mean, quantile, noiseMultiplier };
    const { stepSize, ...known } = steps({ ...release, calls, isLikely }, context);
    const batch = levelsFor(centralSlots(problem)).batch.mean;
    return {
      stopping,
      calls,
      stopped,
      levels,
      ...release,
      stepSize,
      early,
      ...(context.repeated
        ? {
            drawnBy: 'run' as const,
            output: unchosen(context),
            ...costOf({ ...release, levels }, context),
          }
        : {
            drawnBy: 'plan' as const,
            output: outputOf(literal ? stopped + 1 : stopped, stopped, context, random),
          }),
      expectedGradients: gradients + calls * (batch + 1),
      ...known,
    };
  },
  *steps({ plan: planned, problem, registry, domain, start, allRecords, random, state, rounds }) {
    const plan = planned.drawnBy === 'plan' ? planned : drawnByRun(planned, centralSlots(problem), random);
    const first = domain.projectInto(start, start);
    const mean = yield* meanOfSteps(plan, registry, { at: first, batch: allRecords });
    const s = state({ w: first, result: first.slice() });
    yield* callsOf(
      { ...plan, mean },
      { allRecords, rounds },
      {
        at: () => s.w,
        take(estimate, t) {
          for (let j = 0; j < s.w.length; j++) s.w[j] -= plan.stepSize * estimate[j];
          domain.projectInto(s.w, s.w);
          if (plan.output.by === 'iterate') {
            if (t === plan.output.index) s.result.set(s.w);
          } else if (t < plan.output.iterates)
            for (let j = 0; j < s.w.length; j++) s.result[j] += (s.w[j] - s.result[j]) / (t + 1);
        },
      },
    );
    return s.result;
  },
});

/** The calls of the levels, one after the other; `take` is given the number of each, from 1. */
function* callsOf(
  { levels, mean, noiseMultiplier }: Omit<Calls, 'quantile'>,
  { allRecords, rounds }: Pick<Loops, 'rounds'> & { readonly allRecords: Batch },
  { at, take }: { at(): Vector; take(estimate: Vector, t: number): void },
): Program<null> {
  const release = () => ({ mean, target: { noiseMultiplier } });
  for (const t of rounds(levels.length, (call) => levels[call - 1]))
    take(yield* biasReducedEstimate({ at: at(), from: allRecords, level: levels[t - 1], release }), t);
  return null;
}

type Context = PlanContext<Params, Problem['capabilities']>;

/** The calls that a run makes, and what was fixed before their levels were drawn. */
interface PlannedCalls {
  /** τ. */
  readonly calls: number;
  /** Whether T is at least τ with probability `1 − early`. */
  readonly isLikely: boolean;
  readonly noiseMultiplier: number;
  readonly levels: readonly number[];
  /** `T ∧ τ`: calls on which the output depends. */
  readonly stopped: number;
}

const projectionFor = (problem: Problem, { clipNorm, sparsity }: Params): Ref<'mean'> =>
  projectionMechanism({
    // What is found by a quantile scales the mean of gradients of unit size.
    radius: typeof clipNorm === 'object' ? 1 : (clipNorm ?? requiredLipschitz(problem, 'clipNorm')),
    sparsity: sparsity ?? sparsityOf(problem),
  });

/**
 * @throws {InvalidParameter} for a plan of several runs that does not fix its cost before levels are drawn.
 */
function callsFor(release: Omit<Release, 'noiseMultiplier'>, context: Context): PlannedCalls {
  const { stopping, noiseMultiplier } = context.params;
  if (context.repeated && (stopping === 'printed' || noiseMultiplier !== undefined))
    throw new InvalidParameter(
      'runs that are repeated, each with levels of its own, need a cost that is known before levels are ' +
        "drawn: take stopping 'exact' and leave noiseMultiplier out",
      { stopping },
    );
  return stopping === 'exact' ? exactCalls(release, context) : printedCalls(release.mean, context);
}

/** What a run returns, before it has drawn its levels. */
const unchosen = (context: Context): z.output<typeof output> =>
  isAveraged(context) ? { by: 'average', iterates: 1 } : { by: 'iterate', index: 0 };

interface Levelled {
  readonly calls: number;
  readonly levels: readonly number[];
  readonly output: z.output<typeof output>;
}

/** The plan with levels of a run: those that there are enough of, up to the first that there are not. */
function drawnByRun<P extends Levelled>(plan: P, slots: number, random: RandomSource): P {
  const left = new Map<number, number>();
  for (const level of plan.levels) left.set(level, (left.get(level) ?? 0) + 1);
  const levels: number[] = [];
  for (const level of levelsOf(slots, plan.calls, random)) {
    const count = left.get(level) ?? 0;
    if (count === 0) break;
    left.set(level, count - 1);
    levels.push(level);
  }
  const stopped = levels.length;
  return { ...plan, levels, output: chosenOf(plan.output.by === 'average', stopped, stopped, random) };
}

/**
 * The first of τ drawn calls whose event keeps the budget. The noise is calibrated to counts of levels that
 * are likely, not to those that are drawn.
 */
function exactCalls(release: Omit<Release, 'noiseMultiplier'>, context: Context): PlannedCalls {
  const { problem, budget, params: written, random, noiseFor, calibrate, repeated } = context;
  const slots = centralSlots(problem);
  const calls = written.calls ?? chosenCalls(slots, budget.delta);
  const likely = likelyLevels({ slots, calls, early: written.early });
  const noiseMultiplier =
    written.noiseMultiplier ??
    noiseFor((multiplier) => ({ levels: likely, ...release, noiseMultiplier: multiplier, ...unstepped }));
  if (repeated) return { calls, isLikely: true, noiseMultiplier, levels: likely, stopped: calls };
  const drawn = levelsOf(slots, calls, random);
  const eventOf = (count: number): PrivacyEvent =>
    count > calls
      ? unprotectedEvent
      : costOf({ ...release, noiseMultiplier, levels: drawn.slice(0, count) }, context).event;
  const stopped = mostWithin(() =>
    calibrate({
      make: eventOf,
      target: budget,
      adjacency: problem.adjacency,
      direction: 'smaller-is-private',
      integer: true,
    }),
  );
  return {
    calls,
    isLikely: written.noiseMultiplier === undefined,
    noiseMultiplier,
    levels: drawn.slice(0, stopped),
    stopped,
  };
}

/** Fields of a plan that its price does not depend on. */
const unstepped = { drawnBy: 'plan', stepSize: 1, output: { by: 'iterate', index: 0 } } as const;

/** The number found; 0 where not even one call keeps the budget. */
function mostWithin(found: () => { readonly value: number }): number {
  try {
    return found().value;
  } catch (error) {
    if (error instanceof Unsupported) return 0;
    throw error;
  }
}

const levelsOf = (slots: number, calls: number, random: RandomSource): readonly number[] => {
  const source = random.fork('levels');
  const levels = levelsFor(slots);
  return Array.from({ length: calls }, () => levels.draw(source));
};

/**
 * n/ln(2/δ), the order of calls of Theorem 5.7, as far as they are planned. @throws {InvalidParameter} for δ
 * = 0.
 */
function chosenCalls(slots: number, delta: number): number {
  if (delta > 0) return Math.min(mostChosenCalls, Math.max(1, Math.floor(slots / Math.log(2 / delta))));
  throw new InvalidParameter('the number of calls follows from δ, which is 0; give calls', { delta });
}

/** What calls cost, as a curator charges them. */
function costOf(
  calls: Calls,
  { problem, registry }: Context,
): { readonly event: PrivacyEvent; readonly gradients: number } {
  const { event, gradients } = priceOfRun({
    problem,
    registry,
    // These steps draw nothing.
    random: seededRandom('price of calls'),
    *steps({ allRecords, rounds, start }) {
      const mean = yield* meanOfSteps(calls, registry, { at: start, batch: allRecords });
      yield* callsOf({ ...calls, mean }, { allRecords, rounds }, { at: () => start, take: () => {} });
      return start;
    },
  });
  return { event, gradients };
}

/** The largest ε of a mean, thrice, at which amplification by a share q costs at most 2q of it. */
const mostTripled = 1.2564;

/**
 * The calls that the printed filter admits, at the printed noise.
 *
 * @throws {Unsupported} for a budget that Lemma 5.3 does not speak of, and a mean that is not (ε/32,
 * δ/16)-private over batches of every size.
 */
function printedCalls(mean: Ref<'mean'>, context: Context): PlannedCalls {
  const { problem, budget, params: written, random } = context;
  const { epsilon, delta } = budget;
  const slots = centralSlots(problem);
  const setting = { slots, epsilon, delta };
  if ((3 * epsilon) / 32 > mostTripled)
    throw new Unsupported(
      `the printed rule is proved for ε of at most ${(32 * mostTripled) / 3}, and the budget has ` +
        `${epsilon}; give stopping: 'exact'`,
      { epsilon },
    );
  const { most } = stoppingBounds(setting);
  if (most > mostCalls)
    throw new Unsupported(
      `the printed rule may admit ${most} calls, ` +
        `and a plan lists ${mostCalls} at most; give stopping: 'exact'`,
      { most },
    );
  const drawn = drawnLevels(setting, random.fork('levels'));
  const noiseMultiplier = (32 / epsilon) * Math.sqrt(2 * Math.log(20 / delta));
  assertPrivateAt({ mean, noiseMultiplier }, context);
  if (written.literal) {
    const levels = [...drawn, levelsFor(slots).draw(random.fork('last level'))];
    return { calls: levels.length, isLikely: false, noiseMultiplier, levels, stopped: drawn.length - 1 };
  }
  const likely = likelyCalls(setting, written.early);
  const calls = written.calls ?? Math.max(1, likely);
  const levels = drawn.slice(0, Math.min(calls, drawn.length - 1));
  return { calls, isLikely: calls <= likely, noiseMultiplier, levels, stopped: levels.length };
}

/** @throws {Unsupported} unless a mean over a batch of any size is (ε/32, δ/16)-private. */
function assertPrivateAt(
  { mean, noiseMultiplier }: Omit<Release, 'quantile'>,
  { problem, registry, budget: { epsilon, delta }, calibrate }: Context,
): void {
  const target = { epsilon: epsilon / 32, delta: delta / 16 };
  const known = new Set<string>();
  for (let size = 1; size <= centralSlots(problem); size *= 2) {
    const cost = releaseCost({ mean, sampler: fixedSize({ size }) }, { problem, registry })(noiseMultiplier);
    if (known.has(JSON.stringify(cost))) continue;
    known.add(JSON.stringify(cost));
    try {
      calibrate({
        make: (count) => (count <= 1 ? cost : unprotectedEvent),
        target,
        adjacency: problem.adjacency,
        direction: 'smaller-is-private',
        integer: true,
      });
    } catch (cause) {
      if (!(cause instanceof Unsupported)) throw cause;
      throw new Unsupported(
        `mean '${mean.name}' over ${size} records is not shown to be (ε/32, δ/16)-private at the printed ` +
          `noise; give stopping: 'exact', or mean '${projectionMechanism.name}'`,
        { mean: mean.name, size },
        { cause },
      );
    }
  }
}

const isConvex = ({ capabilities }: Problem): boolean => capabilities.convex === true;

/** What is returned: a mean of iterates, or one of `x⁰ … x^T` that public coins choose. */
const outputOf = (
  last: number,
  stopped: number,
  context: Context,
  random: RandomSource,
): z.output<typeof output> => chosenOf(isAveraged(context), last, stopped, random);

const isAveraged = ({ problem, params: { returns } }: Context): boolean =>
  (returns ?? (isConvex(problem) ? 'average' : 'uniform-iterate')) === 'average';

const chosenOf = (
  averaged: boolean,
  last: number,
  stopped: number,
  random: RandomSource,
): z.output<typeof output> =>
  averaged
    ? { by: 'average', iterates: last + 1 }
    : { by: 'iterate', index: random.fork('iterate').integer(stopped + 1) };

interface Median {
  readonly of: 'excess risk' | 'squared gradient norm';
  readonly bound: number;
}
interface KnownSteps {
  readonly stepSize: number;
  readonly utility: { readonly bound: number; readonly source: string } | null;
  /** Exceeded with probability 1/2 at most, over all randomness. */
  readonly median: Median | null;
  readonly uncovered: string | null;
}

/**
 * The step size, and what is known of the output.
 *
 * @throws {InvalidParameter} where the step size follows from nothing.
 */
function steps(
  { mean, quantile, noiseMultiplier, calls, isLikely }: Omit<PlannedCalls, 'levels' | 'stopped'> & Release,
  context: Context,
): KnownSteps {
  const { params: written, registry } = context;
  // A step for a clip that is found would depend on it; this one is for a mean that cuts nothing.
  const whole =
    quantile === null ? mean : meanAt(registry, mean, lipschitzOf(context.problem) ?? quantile.largest);
  const error = estimateError({ mean: whole, noiseMultiplier }, context);
  const unknown = typeof error === 'string' ? error : null;
  const theory = isConvex(context.problem) ? convexTheory(context) : nonconvexTheory(context);
  const why = unknown ?? (typeof theory === 'string' ? theory : null);
  if (typeof error === 'string' || typeof theory === 'string') {
    if (written.stepSize !== undefined)
      return {
        stepSize: written.stepSize,
        utility: null,
        median: null,
        uncovered: quantile === null ? why : foundBefore,
      };
    throw new InvalidParameter(`the step size follows from no bound, as ${why}; give stepSize`, {});
  }
  const stepSize = written.stepSize ?? theory.stepFor(calls, error.meanSquare);
  const capped = { ...error, calls, stepSize };
  const early = isLikely ? written.early : null;
  const uncovered =
    (quantile === null ? null : foundBefore) ??
    earlyReason(written, isLikely) ??
    outputReason(written, context.problem);
  if (early === null || uncovered !== null) return { stepSize, utility: null, median: null, uncovered };
  const sum = theory.sum(capped);
  const bound = medianBound(sum, { calls, early });
  return {
    stepSize,
    utility: theory.expected(sum / (calls + 1), early),
    median: bound === null ? null : { of: theory.of, bound },
    uncovered: bound === null ? `runs end early with probability ${early}, which is not below 1/2` : null,
  };
}

function earlyReason({ literal, noiseMultiplier }: Params, isLikely: boolean): string | null {
  if (isLikely) return null;
  if (literal) return 'the literal loop has no cap, so that the number of calls is not bounded before';
  return noiseMultiplier === undefined
    ? 'the printed rule ends before that many calls too often'
    : 'noiseMultiplier is given, so that nothing says how many calls keep the budget';
}

const outputReason = ({ returns }: Params, problem: Problem): string | null =>
  returns === undefined || (returns === 'average') === isConvex(problem)
    ? null
    : 'the theorem for ' +
      `${isConvex(problem) ? 'convex losses is of the average' : 'other losses is of a uniform iterate'}`;

interface Theory {
  readonly of: Median['of'];
  /** The step size for which the sum is least. */
  stepFor(calls: number, meanSquare: number): number;
  /** Bound on the expected sum over all iterates. */
  sum(capped: CappedSteps): number;
  /**
   * Bound on the expected excess risk from the average over a whole run, and the probability of a shorter
   * one.
   */
  expected(average: number, early: number): KnownSteps['utility'];
}

/** Theorem 5.7; or why it says nothing. */
function convexTheory({ problem, domain }: Context): Theory | string {
  const isBounded = domain.diameter < Infinity;
  const distance = isBounded ? domain.diameter : distanceIn(problem);
  if (distance === null)
    return (
      `the domain '${domain.name}' is unbounded and no ` +
      "fact 'startDistance' says how far the minimiser is"
    );
  const lipschitz = lipschitzOf(problem);
  if (lipschitz === null) return "no fact 'lipschitz' of every record is declared";
  return {
    of: 'excess risk',
    stepFor: (calls, meanSquare) => distance / Math.sqrt((calls + 1) * meanSquare),
    sum: (capped) => regretBound(capped, { distance, holdsFor: isBounded ? 'every iterate' : 'start' }),
    expected: (average, early) =>
      isBounded
        ? {
            bound: average + early * lipschitz * distance,
            source: 'ghazi-2024, expected excess empirical risk of the average, Proposition 5.6 with a cap',
          }
        : null,
  };
}

function distanceIn({ facts }: Problem): number | null {
  return facts['startDistance']?.value ?? facts['diameter']?.value ?? null;
}

/** Theorem 5.8; or why it says nothing. */
function nonconvexTheory({ problem, domain, params: { initialGap } }: Context): Theory | string {
  const smoothness = problem.facts['smoothness'];
  const lipschitz = problem.facts['lipschitz'];
  if (!isWhole(domain))
    return `Theorem 5.8 is for steps without a projection, and the domain is '${domain.name}'`;
  if (smoothness?.scope !== 'every-record' || lipschitz?.scope !== 'every-record')
    return "no facts 'lipschitz' and 'smoothness' of every record are declared";
  if (initialGap === undefined) return 'initialGap is not given';
  return {
    of: 'squared gradient norm',
    stepFor: (calls, meanSquare) =>
      Math.sqrt((2 * initialGap) / (smoothness.value * (calls + 1) * meanSquare)),
    sum: (capped) =>
      stationarityBound(capped, { initialGap, smoothness: smoothness.value, lipschitz: lipschitz.value }),
    expected: () => null,
  };
}

const isWhole = ({ name }: Domain): boolean => name === 'whole-space';
