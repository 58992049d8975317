import {
  ask,
  type Batch,
  type Claim,
  InvalidParameter,
  type Loops,
  MissingFact,
  type PlanContext,
  type Problem,
  type Program,
  type Ref,
  referenceTo,
  type Target,
  Unsupported,
} from '@lethe/core';
import type { OptimizerDefinition } from '@lethe/curator';
import type { Domain, ZodSchema } from '@lethe/numerics';
import * as z from 'zod';
import {
  ballRadius,
  clipOfRadius,
  errorOfMean,
  fewestRecords,
  givenMean,
  guideOfMean,
  meanAt,
  stated,
  type GivenMean,
  type MeanBatches,
  type MeanError,
  type MeanNeeds,
  type Moments,
} from '../common/given-mean.js';
import { clipNormSchema, plannedQuantileSchema, type PlannedQuantile } from '../common/private-clip.js';
import { centralSlots, lipschitzOf } from '../common/problem-facts.js';
import { declaredMoments, knownMoments } from './facts.js';
import { foundBefore } from '../standard/quantile-before.js';
import { askedClip, type Release } from './found-clip.js';
import {
  clippedMeanError,
  paperEpsilon,
  type MeanErrorAt,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  type ScheduleChoice,
} from './schedules/least-bound.js';

/** Parameters that all methods of one pass share; `theorem` chooses what is left out. */
export const onePassSchema = (theorem: string) => ({
  mean: z
    .optional(referenceTo('mean'))
    .describe(
      'Private mean for gradients of unit size, such as clipped with a clip ' +
        'of radius 1 and a mechanism. Left out: clipped with Gaussian noise, ' +
        'or shuffled sums where nobody is trusted; certified where nothing is clipped.',
    ),
  order: z
    .enum(['shuffled', 'stored'])
    .default('shuffled')
    .describe('How records are assigned to batches: at random, in secret, or in stored order.'),
  schedule: z
    .enum(['least-bound', 'corrected', 'printed'])
    .default('least-bound')
    .describe(
      `The rounds and the clip norm with the least proved bound, which is not the paper’s; or ${theorem} ` +
        'as corrected, or as printed.',
    ),
  momentOrder: z
    .number()
    .min(2)
    .optional()
    .describe('k. Left out: the declared order with the least predicted bound.'),
  rounds: z.int().positive().optional().describe(`T. Left out: by the schedule, from ${theorem}.`),
  clipNorm: z
    .optional(clipNormSchema)
    .describe(
      'C: size of gradients that the mean is scaled to; or a quantile of the norms at the start, found ' +
        `privately. Left out: by the schedule, from ${theorem}.`,
    ),
  noiseMultiplier: z
    .number()
    .positive()
    .optional()
    .describe(
      'Noise over sensitivity of a central mean, in the run’s adjacency. Left out: calibrated to the budget.',
    ),
});

/** Parsed parameters of {@link onePassSchema}. */
export type OnePassParams = z.output<z.ZodObject<ReturnType<typeof onePassSchema>>>;

/** What methods of one pass declare of themselves. */
export const declaredBy = (
  privacyRestsOn: MeanNeeds['privacyRestsOn'],
): Pick<
  OptimizerDefinition<string, ZodSchema, object, never>,
  'adjacencies' | 'trustModels' | 'privacyRestsOn' | 'facts' | 'stopping'
> => ({
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: privacyRestsOn === 'clip' ? ['central', 'shuffle'] : ['central'],
  privacyRestsOn,
  facts:
    privacyRestsOn === 'clip'
      ? {}
      : {
          lipschitz:
            'noise is for the largest gradient of any record, so one of the ' +
            'population is not enough: it follows from featureNorm or featureBounds, ' +
            'and labelBound, of every record and a bounded domain',
        },
  stopping: 'fixed',
});

/** What sets one member of a family of methods apart from others. */
export interface Member<Name extends string, Params extends ZodSchema> {
  readonly name: Name;
  readonly summary: string;
  /** Of the paper. */
  readonly item: string;
  readonly privacyRestsOn: MeanNeeds['privacyRestsOn'];
  readonly examples: readonly z.input<Params>[];
}

/** What every method of one pass claims. @param theorem - Of the paper, about privacy and gradients. */
export function claimsOfPass(
  theorem: string,
  utility: Pick<Claim, 'statement' | 'source'>,
): readonly Claim[] {
  const source = { id: 'lowy-razaviyayn', item: theorem };
  return [
    {
      property: 'event',
      statement:
        'what one mean costs: disjoint batches cost their maximum; and what counts of a quantile cost',
      source,
    },
    { property: 'utility', ...utility },
    {
      property: 'gradients',
      statement: 'at most n gradients, and n for each count of a quantile',
      source,
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ];
}

type Rule<S extends OnePassSchedule> = (facts: OnePassFacts, overrides: OnePassOverrides) => S;
type Context = Pick<
  PlanContext<OnePassParams, Problem['capabilities']>,
  'problem' | 'registry' | 'domain' | 'budget' | 'params' | 'noiseFor'
>;

/** What a plan of one pass says besides its schedule; `null` for numbers of a mean that states no bounds. */
interface PlannedPass {
  /** The mean for gradients of unit size. */
  readonly mean: Ref<'mean'>;
  /** How every batch is asked for, unless the clip norm is found. */
  readonly release: Release;
  /** How the clip norm is found; `null` where it is that of the plan. */
  readonly quantile: PlannedQuantile | null;
  readonly order: 'shuffled' | 'stored';
  readonly schedule: ScheduleChoice;
  /** `k`; `null` where gradients are bounded. */
  readonly momentOrder: number | null;
  /** `null` where the mean clips and cannot be scaled. */
  readonly clipNorm: number | null;
  readonly noiseMultiplier: number | null;
  readonly noise: number | null;
  readonly bias: number | null;
  readonly variance: number | null;
  /** The paper's `ε` of the batches asked for. */
  readonly paperEpsilon: number | null;
  readonly printedBound: number | null;
}
type Planned<S extends OnePassSchedule> = Omit<S & Moments, 'order' | 'longest' | keyof PlannedPass> &
  PlannedPass;

/** What steps read of a plan of one pass. */
export const passSchema = z.looseObject({
  rounds: z.int().nonnegative(),
  batches: z.int().positive(),
  batchSize: z.int().positive(),
  order: z.enum(['shuffled', 'stored']),
  mean: referenceTo('mean'),
  release: z.strictObject({ mean: referenceTo('mean'), target: z.unknown() }),
  quantile: z.nullable(plannedQuantileSchema),
});

/**
 * Plans one pass over disjoint batches: privacy first, then the schedule for each moment that is declared, of
 * which the one with the least bound is taken. Where a mean states no bounds, rounds and clip norm are those
 * of the standard mean, and there is no bound.
 *
 * @param needs - Name of the method, and what its privacy rests on.
 * @param draft - What the method's steps read of a plan besides, for one batch.
 * @param rule - The schedule of the method.
 * @returns the plan, and why the error of the mean is not proved, if it is not.
 * @throws {InvalidParameter} for parameters that do not fit the mean.
 * @throws {IncompatiblePlugins} for a mean that does not fit the method or the model of trust.
 */
export function planOnePass<S extends OnePassSchedule>(
  { name: optimizer, privacyRestsOn }: Pick<Member<string, ZodSchema>, 'name' | 'privacyRestsOn'>,
  { problem, registry, domain, budget, params, noiseFor }: Context,
  draft: object,
  rule: Rule<S>,
): { readonly plan: Planned<S>; readonly unproved: string | null } {
  const { schedule } = params;
  const slots = centralSlots(problem);
  const trust = problem.trust.model === 'shuffle' ? 'shuffle' : 'central';
  const needs: MeanNeeds = { optimizer, trust, privacyRestsOn };
  const written = typeof params.clipNorm === 'number' ? params.clipNorm : undefined;
  const given = givenMean(params.mean, registry, needs, written);
  const { quantile, clipNorm: asked } = askedClip(params.clipNorm, given, { problem, budget });
  if (params.rounds !== undefined && params.rounds > slots)
    throw new InvalidParameter(
      `rounds is ${params.rounds}, more than the ${slots} slots; each round needs a record of its own`,
      { rounds: params.rounds, slots },
    );
  const candidates = momentsFor(given, problem, domain, params);
  const releaseAt = (clipNorm: number, target: Target): PlannedPass['release'] => ({
    mean: meanAt(registry, given.ref, clipNorm),
    target,
  });
  const noiseOf = (one: Pick<OnePassSchedule, 'batchSize' | 'clipNorm'>): number | null =>
    trust === 'shuffle'
      ? withoutNoise(given, params)
      : (params.noiseMultiplier ??
        noiseFor((noiseMultiplier) => ({
          rounds: 1,
          batches: 1,
          batchSize: one.batchSize,
          order: params.order,
          mean: given.ref,
          release: releaseAt(one.clipNorm, { noiseMultiplier }),
          quantile,
          ...draft,
        })));
  const batchesAt = (noiseMultiplier: number | null): MeanBatches & { readonly problem: Problem } => ({
    problem,
    target: noiseMultiplier === null ? { epsilon: budget.epsilon, delta: budget.delta } : { noiseMultiplier },
    honestIn: honestUsersIn(problem, slots, params.rounds),
  });
  // What the paper prints is of clipped sums; of shuffled means only those have bounds.
  const isSum = trust === 'shuffle' || ballRadius(given, problem) !== null;
  const chosenBy = (
    errorBy: typeof errorOfMean,
    noiseMultiplier: number | null,
    fixedBy: OnePassOverrides,
  ) => {
    const batches = batchesAt(noiseMultiplier);
    const mostBatches = mostBatchesOf(given, batches, slots);
    return (moments: Moments): Chosen<S> => {
      // A mean without units is the same at every clip norm.
      const fixed = given.hasUnits ? fixedBy.clipNorm : moments.moment;
      const unit = fixed ?? moments.moment;
      const isBounded = errorBy(given, batches, moments)(unit, slots) !== null;
      const guided = isBounded ? given : givenMean(undefined, registry, needs);
      const guide = stated(guided, errorBy(guided, batches, moments));
      const facts = { slots, dimension: problem.dimension, ...moments, mostBatches };
      const error: MeanErrorAt = (clipNorm, batchSize) => {
        const proved = meaningful(given, guide(clipNorm, batchSize), clipNorm, batchSize);
        return schedule === 'printed' && isSum ? asPrinted(facts, proved, clipNorm, batchSize) : proved;
      };
      const epsilon = paperEpsilon(error(unit, slots), unit, slots);
      const madeAt = (clipNorm: number | undefined): S =>
        rule({ ...facts, error, epsilon }, { rounds: fixedBy.rounds, clipNorm });
      const most =
        fixed === undefined && moments.longest !== undefined
          ? clipOfRadius(given, problem, moments.longest)
          : null;
      const made = most === null ? madeAt(fixed) : upTo(most, madeAt, schedule);
      return { ...moments, ...made, moments, isBounded };
    };
  };
  const planned = candidates.map(
    chosenBy(guideOfMean, noiseOf({ batchSize: slots, clipNorm: asked ?? 1 }), {
      rounds: params.rounds,
      clipNorm: asked,
    }),
  );
  const guide = planned.reduce((a, b) => (b.excessRisk < a.excessRisk ? b : a));
  // Noise and error are those of the mean that is asked for: scaled to the clip norm, over these batches.
  const noiseMultiplier = noiseOf(guide);
  const { target } = batchesAt(noiseMultiplier);
  const {
    isBounded,
    order,
    moments: _,
    longest: _longest,
    ...best
  } = chosenBy(errorOfMean, noiseMultiplier, guide)(guide.moments);
  const { clipNorm, batchSize, noise, bias, variance, printedBound } = best;
  const isClipped = given.hasUnits || privacyRestsOn !== 'clip';
  const plan = {
    ...best,
    ...(isBounded
      ? { noise, bias, variance, printedBound }
      : { noise: null, bias: null, variance: null, printedBound: null }),
    mean: given.ref,
    release: releaseAt(clipNorm, target),
    quantile,
    order: params.order,
    schedule,
    momentOrder: order < Infinity ? order : null,
    clipNorm: isClipped ? clipNorm : null,
    noiseMultiplier,
    paperEpsilon: isBounded && isClipped ? paperEpsilon(best, clipNorm, batchSize) : null,
  } as Planned<S>;
  const unbounded =
    `the mean '${given.plugin.name}' states no bound on its error at these parameters: rounds and clip ` +
    'norm, where they are not given, are those of the standard mean';
  if (!isBounded) return { plan, unproved: unbounded };
  return { plan, unproved: quantile === null ? cutBy(given, problem, domain) : foundBefore };
}

/**
 * A schedule that clips at `most` at most, where nothing is cut any more. The bias ends there with a jump,
 * which a search over clip norms does not see: the least bound is compared with that at `most`.
 */
function upTo<S extends OnePassSchedule>(
  most: number,
  madeAt: (clipNorm: number | undefined) => S,
  schedule: ScheduleChoice,
): S {
  const free = madeAt(undefined);
  if (free.clipNorm <= most && schedule !== 'least-bound') return free;
  const whole = madeAt(most);
  return free.clipNorm > most || whole.excessRisk < free.excessRisk ? whole : free;
}

/** A schedule, and the moments that it is for. */
type Chosen<S extends OnePassSchedule> = S &
  Moments & { readonly moments: Moments; readonly isBounded: boolean };

/** The larger of what is proved of a mean and what the paper prints of clipped sums with its noise. */
function asPrinted(
  facts: Omit<OnePassFacts, 'epsilon'>,
  proved: MeanError,
  clipNorm: number,
  batchSize: number,
): MeanError {
  const { noise } = proved;
  const printed = clippedMeanError(facts, { noise, clipNorm, batchSize }, 'printed');
  return {
    noise,
    bias: Math.max(proved.bias, printed.bias),
    variance: Math.max(proved.variance, printed.variance),
  };
}

/** What a mean says of its error, which may be anybody's. */
function meaningful(
  { plugin: { name } }: GivenMean,
  error: MeanError,
  clipNorm: number,
  batchSize: number,
): MeanError {
  const { noise, bias, variance } = error;
  if (noise > 0 && bias >= 0 && variance >= 0) return error;
  throw new InvalidParameter(
    `the mean '${name}' says of its error at clip norm ${clipNorm} and ${batchSize} records: noise ` +
      `${noise}, bias ${bias}, variance ${variance}; noise must be positive, bias and variance at least 0. ` +
      'Correct its biasBound or varianceBound',
    { mean: name, noise, bias, variance, clipNorm, batchSize },
  );
}

/** A constant that holds for bounded iterates says nothing of others: the curator cuts their gradients. */
const cutBy = ({ plugin }: GivenMean, problem: Problem, domain: Domain): string | null =>
  plugin.privacyRestsOn === 'clip' || problem.capabilities.lipschitz === true || domain.diameter < Infinity
    ? null
    : `the loss '${problem.loss.name}' is Lipschitz on bounded sets only, and the domain is unbounded: ` +
      'gradients may be cut';

/**
 * Why a bound with bias times diameter is none: where nothing keeps iterates in, a bias pushes them as far as
 * steps reach, whatever diameter is declared.
 */
export const driftOn = ({ name, diameter }: Domain, { bias }: Pick<PlannedPass, 'bias'>): string | null =>
  bias !== 0 && diameter === Infinity
    ? `the domain '${name}' is unbounded, and the mean has a bias, which may take iterates farther away ` +
      'than any diameter that is declared: use a bounded domain'
    : null;

/** All users that may not be honest may be in one batch. */
const unknownNamesIn = ({ trust }: Problem, slots: number): number =>
  trust.model === 'shuffle' ? Math.max(0, slots - trust.honestUsers) : 0;

/** @throws {Unsupported} for a batch that may hold no honest user. */
const honestUsersIn =
  (problem: Problem, slots: number, rounds: number | undefined): MeanBatches['honestIn'] =>
  (batchSize) => {
    const honestUsers = Math.max(0, batchSize - unknownNamesIn(problem, slots));
    if (problem.trust.model === 'shuffle' && honestUsers < 1) {
      const needed = slots - batchSize + 1;
      throw new Unsupported(
        `of ${slots} users ${problem.trust.honestUsers} are honest, and a batch of ${batchSize} may ` +
          `hold none of them: batches of that size need at least ${needed} honest users` +
          (rounds !== undefined && rounds > 1 ? ', or take fewer rounds, so that batches are larger' : ''),
        { batchSize, honestUsers: problem.trust.honestUsers, needed },
      );
    }
    return honestUsers;
  };

/** So many that most of any batch is honest, and the mean takes as few records as there are in it. */
const mostBatchesOf = (
  given: GivenMean,
  batches: MeanBatches & { readonly problem: Problem },
  slots: number,
): number =>
  Math.max(
    1,
    Math.floor(
      slots / Math.max(2 * unknownNamesIn(batches.problem, slots) + 1, fewestRecords(given, batches, slots)),
    ),
  );

/** A shuffled mean is told the budget instead. @throws {InvalidParameter} where noise is given. */
function withoutNoise({ plugin: { name } }: GivenMean, { noiseMultiplier }: OnePassParams): null {
  if (noiseMultiplier === undefined) return null;
  throw new InvalidParameter(
    `noiseMultiplier is ${noiseMultiplier}, and the mean '${name}' has none; leave it out`,
    { noiseMultiplier, mean: name },
  );
}

/** Moments to try. @throws {InvalidParameter} for an order of moments where nothing is clipped. */
function momentsFor(
  { plugin }: GivenMean,
  problem: Problem,
  domain: Domain,
  { momentOrder, schedule }: OnePassParams,
): readonly Moments[] {
  const { name, privacyRestsOn } = plugin;
  // What the paper prints of clipped means is in declared moments.
  if (privacyRestsOn === 'clip')
    return schedule === 'printed'
      ? declaredMoments(problem, momentOrder)
      : knownMoments(problem, domain, momentOrder);
  if (momentOrder !== undefined)
    throw new InvalidParameter(
      `momentOrder is ${momentOrder}, and the mean '${name}' does not clip: its gradients have moments ` +
        'of every order; leave momentOrder out',
      { mean: name, momentOrder },
    );
  const lipschitz = everyRecordLipschitz(plugin, problem);
  const known = Object.keys(problem.facts).some((fact) => /^(?:uniformG|g)radientMoment\./u.test(fact))
    ? declaredMoments(problem)[0].moment
    : Infinity;
  return [{ order: Infinity, moment: lipschitz, secondMoment: Math.min(lipschitz, known) }];
}

/**
 * Nothing that is declared of a population tells of the largest gradient: it follows from bounds on every
 * record.
 */
function everyRecordLipschitz({ name }: { readonly name: string }, problem: Problem): number {
  const value = lipschitzOf(problem);
  const declared = problem.facts['lipschitz'];
  if (value !== null) return value;
  throw new MissingFact(
    `the mean '${name}' takes noise for the largest gradient that any record may have, and the problem ` +
      "has no fact 'lipschitz' that holds for every record" +
      (declared === undefined
        ? ''
        : ': the one there is holds for the population only, and that is not enough') +
      '. It follows from bounds on records (featureNorm or featureBounds, ' +
      'and labelBound) and a bounded domain (such as l2-ball): ' +
      'state those with the data, or use the method that clips, which needs none of them',
    ['lipschitz'],
  );
}

/** The batches of a run. */
export const batchesFor = (
  { batches, batchSize, order }: Pick<OnePassSchedule, 'batches' | 'batchSize'> & Pick<PlannedPass, 'order'>,
  allRecords: Batch,
): Program<readonly Batch[]> =>
  ask.split({
    of: allRecords,
    order,
    parts: { by: 'size', sizes: Array.from({ length: batches }, () => batchSize) },
  });

/** Rounds of which each has a batch of its own. */
export const roundsOver = (
  batches: readonly Batch[],
  { state, parts }: Pick<Loops, 'state' | 'parts'>,
): Pick<Loops, 'state' | 'rounds'> => ({
  state,
  *rounds() {
    for (const [t] of parts(batches)) yield t;
  },
});
