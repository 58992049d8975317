import {
  ask,
  InvalidParameter,
  Unsupported,
  type Adjacency,
  type Batch,
  type Loops,
  type PlanContext,
  type PrivacyBasis,
  type Problem,
  type Program,
  type Target,
  type TrustModel,
} from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { z } from 'zod';
import { centralSlots, lipschitzOf, type MeanRelease } from '../common/problem-facts.js';
import {
  paperEpsilon,
  type ChosenMean,
  type MeanBatch,
  type MeanError,
  type MeanErrorAt,
  type PrivateMean,
} from './means/private-mean.js';
import { chosenMean, meanSchema } from './means/private-means.js';
import { declaredMoments } from './facts.js';
import {
  formulasOf,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  type ScheduleChoice,
} from './schedules/least-bound.js';

/** Parameters that all methods of one pass share; `theorem` chooses what is left out. */
export const onePassSchema = (theorem: string) => ({
  mean: meanSchema.optional().describe('The private mean. Left out: the first that fits the model of trust.'),
  order: z
    .enum(['shuffled', 'stored'])
    .default('shuffled')
    .describe('How records are dealt to batches: by secret coins, or as they are stored.'),
  schedule: z
    .enum(['least-bound', 'corrected', 'printed'])
    .default('least-bound')
    .describe(
      `The rounds and the clip norm with the least proved bound, which is not the paper’s; or ${theorem} as corrected, or as printed.`,
    ),
  momentOrder: z
    .number()
    .min(2)
    .optional()
    .describe('k. Left out: the declared order with the least predicted bound.'),
  rounds: z.int().positive().optional().describe(`T. Left out: by the schedule, from ${theorem}.`),
  clipNorm: z.number().positive().optional().describe(`C. Left out: by the schedule, from ${theorem}.`),
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

/** What methods of one pass declare of themselves, given the means they may use. */
export function declaredBy(means: readonly PrivateMean[]): {
  readonly adjacencies: readonly Adjacency[];
  readonly trustModels: readonly TrustModel['model'][];
  readonly privacyRestsOn: PrivacyBasis;
  readonly facts: Readonly<Record<string, string>>;
  readonly stopping: 'fixed';
} {
  const isCertified = means.some(({ privacyRestsOn }) => privacyRestsOn === 'every-record constants');
  return {
    adjacencies: [...new Set(means.flatMap(({ adjacencies }) => adjacencies))],
    trustModels: [...new Set(means.map(({ trust }) => trust))],
    privacyRestsOn: isCertified ? 'every-record constants' : 'clip',
    facts: means.every(({ privacyRestsOn }) => privacyRestsOn === 'every-record constants')
      ? {
          lipschitz:
            'noise is for the largest gradient of any record, so one of the population is not enough: it follows from featureNorm or featureBounds, and labelBound, of every record and a bounded domain',
        }
      : {},
    stopping: 'fixed',
  };
}

/** What sets one member of a family of methods apart from others. */
export interface Member<Name extends string, Params extends z.ZodType> {
  readonly name: Name;
  readonly summary: string;
  /** Of the paper. */
  readonly item: string;
  readonly means: readonly PrivateMean[];
  readonly examples: readonly z.input<Params>[];
}

type Rule<S extends OnePassSchedule> = (facts: OnePassFacts, overrides: OnePassOverrides) => S;
type Context = Pick<
  PlanContext<OnePassParams, Problem['capabilities']>,
  'problem' | 'domain' | 'budget' | 'params' | 'noiseFor'
>;

/** What a plan of one pass says besides its schedule. */
interface PlannedPass {
  readonly mean: { readonly name: string; readonly params: Readonly<Record<string, unknown>> };
  /** How every batch is asked for ({@link releaseOf}). */
  readonly release: { readonly mean: unknown; readonly target: unknown };
  readonly order: 'shuffled' | 'stored';
  readonly schedule: ScheduleChoice;
  /** `k`; `null` where gradients are bounded. */
  readonly momentOrder: number | null;
  readonly moment: number;
  readonly secondMoment: number;
  readonly noiseMultiplier: number | null;
  /** The paper's `ε` of the batches asked for. */
  readonly paperEpsilon: number;
}

/** What steps read of a plan of one pass. */
export const passSchema = z.looseObject({
  rounds: z.int().nonnegative(),
  batches: z.int().positive(),
  batchSize: z.int().positive(),
  order: z.enum(['shuffled', 'stored']),
  release: z.strictObject({ mean: z.unknown(), target: z.unknown() }),
});

/**
 * Plans one pass over disjoint batches: privacy first, then the schedule for each moment that is declared, of
 * which the one with the least bound is taken.
 *
 * @param draft - What the method's steps read of a plan besides, for one batch.
 * @param rule - The schedule of the method.
 * @returns the plan, and why the error of the mean is not proved, if it is not.
 * @throws {InvalidParameter} for parameters that do not fit the mean.
 */
export function planOnePass<S extends OnePassSchedule>(
  means: readonly PrivateMean[],
  { problem, domain, budget, params, noiseFor }: Context,
  draft: object,
  rule: Rule<S>,
): { readonly plan: S & PlannedPass; readonly unproved: string | null } {
  const { schedule } = params;
  const slots = centralSlots(problem);
  const chosen = chosenMean(means, params.mean, problem);
  const { mean } = chosen;
  if (params.rounds !== undefined && params.rounds > slots)
    throw new InvalidParameter(
      `rounds is ${params.rounds}, more than the ${slots} slots; each round needs a record of its own`,
      { rounds: params.rounds, slots },
    );
  const { candidates, clipNorm } = momentsFor(mean, problem, params);
  const batchOf = batchesOf(problem, slots, params.rounds);
  const one = (multiplier: number): object => ({
    rounds: 1,
    batches: 1,
    batchSize: slots,
    order: params.order,
    release: mean.release(chosen.params, {
      clipNorm: clipNorm ?? 1,
      target: { noiseMultiplier: multiplier },
    }),
    ...draft,
  });
  const noiseMultiplier =
    mean.trust === 'central' ? (params.noiseMultiplier ?? noiseFor(one)) : withoutNoise(mean, params);
  const target =
    noiseMultiplier === null ? { epsilon: budget.epsilon, delta: budget.delta } : { noiseMultiplier };
  const planned = candidates.map((moments): S & typeof moments => {
    const error: MeanErrorAt = (norm, batchSize) =>
      mean.error(chosen.params, {
        ...batchOf(batchSize, target),
        ...moments,
        clipNorm: norm,
        schedule: formulasOf(schedule),
      });
    const facts = {
      slots,
      dimension: problem.dimension,
      ...moments,
      error,
      epsilon: paperEpsilon(meaningful(mean, error(1, slots), 1, slots), 1, slots),
      mostBatches: mostBatchesOf(chosen, problem, slots),
    };
    return { ...moments, ...rule(facts, { rounds: params.rounds, clipNorm }) };
  });
  const best = planned.reduce((a, b) => (b.excessRisk < a.excessRisk ? b : a));
  const { order, ...rest } = best;
  meaningful(mean, best, best.clipNorm, best.batchSize);
  const plan: S & PlannedPass = {
    ...(rest as unknown as S),
    moment: best.moment,
    secondMoment: best.secondMoment,
    mean: { name: mean.name, params: chosen.params as Readonly<Record<string, unknown>> },
    release: mean.release(chosen.params, { clipNorm: best.clipNorm, target }),
    order: params.order,
    schedule,
    momentOrder: order < Infinity ? order : null,
    noiseMultiplier,
    paperEpsilon: paperEpsilon(best, best.clipNorm, best.batchSize),
  };
  return { plan, unproved: mean.unproved ?? cutBy(mean, problem, domain) };
}

/** What a mean says of its error, which may be anybody's. */
function meaningful({ name }: PrivateMean, error: MeanError, clipNorm: number, batchSize: number): MeanError {
  const { noise, bias, variance } = error;
  if (noise > 0 && bias >= 0 && variance >= 0) return error;
  throw new InvalidParameter(
    `the mean '${name}' says of its error at clip norm ${clipNorm} and ${batchSize} records: noise ${noise}, bias ${bias}, variance ${variance}; noise must be positive, bias and variance at least 0. Correct its error()`,
    { mean: name, noise, bias, variance, clipNorm, batchSize },
  );
}

/** A constant that holds for bounded iterates says nothing of others: the curator cuts their gradients. */
const cutBy = ({ privacyRestsOn }: PrivateMean, problem: Problem, domain: Domain): string | null =>
  privacyRestsOn === 'clip' || problem.capabilities.lipschitz === true || domain.diameter < Infinity
    ? null
    : `the loss '${problem.loss.name}' is Lipschitz on bounded sets only, and the domain is unbounded: gradients may be cut`;

/**
 * Why a bound with bias times diameter is none: where nothing keeps iterates in, a bias pushes them as far as
 * steps reach, whatever diameter is declared.
 */
export const driftOn = ({ name, diameter }: Domain, { bias }: Pick<OnePassSchedule, 'bias'>): string | null =>
  bias > 0 && diameter === Infinity
    ? `the domain '${name}' is unbounded, and the mean has a bias, which may take iterates farther away than any diameter that is declared: use a bounded domain`
    : null;

type BatchAt = (batchSize: number, target: Target) => MeanBatch;

/** All users that may not be honest may be in one batch. */
const unknownNamesIn = ({ trust }: Problem, slots: number): number =>
  trust.model === 'shuffle' ? Math.max(0, slots - trust.honestUsers) : 0;
const batchesOf =
  (problem: Problem, slots: number, rounds: number | undefined): BatchAt =>
  (batchSize, target) => {
    const unknownNames = unknownNamesIn(problem, slots);
    const honestUsers = Math.max(0, batchSize - unknownNames);
    if (problem.trust.model === 'shuffle' && honestUsers < 1) {
      const needed = slots - batchSize + 1;
      throw new Unsupported(
        `of ${slots} users ${problem.trust.honestUsers} are honest, and a batch of ${batchSize} may hold none of them: batches of that size need at least ${needed} honest users${rounds !== undefined && rounds > 1 ? ', or take fewer rounds, so that batches are larger' : ''}`,
        { batchSize, honestUsers: problem.trust.honestUsers, needed },
      );
    }
    return { adjacency: problem.adjacency, dimension: problem.dimension, batchSize, honestUsers, target };
  };
/** So many that most of any batch is honest, and there are enough records in it. */
const mostBatchesOf = ({ mean, params }: ChosenMean, problem: Problem, slots: number): number =>
  Math.max(
    1,
    Math.floor(slots / Math.max(2 * unknownNamesIn(problem, slots) + 1, mean.leastBatch?.(params) ?? 1)),
  );

/** A shuffled mean is told the budget instead. @throws {InvalidParameter} where noise is given. */
function withoutNoise({ name }: PrivateMean, { noiseMultiplier }: OnePassParams): null {
  if (noiseMultiplier === undefined) return null;
  throw new InvalidParameter(
    `noiseMultiplier is ${noiseMultiplier}, and the mean '${name}' has none; leave it out`,
    { noiseMultiplier, mean: name },
  );
}

interface Moments {
  readonly order: number;
  readonly moment: number;
  readonly secondMoment: number;
}

/** Moments to try, and the clip norm if it is not for the schedule to choose. */
function momentsFor(
  mean: PrivateMean,
  problem: Problem,
  { clipNorm, momentOrder }: OnePassParams,
): { readonly candidates: readonly Moments[]; readonly clipNorm: number | undefined } {
  if (mean.privacyRestsOn === 'clip') return { candidates: declaredMoments(problem, momentOrder), clipNorm };
  if (clipNorm !== undefined || momentOrder !== undefined)
    throw new InvalidParameter(
      `the mean '${mean.name}' does not clip, so it takes neither clipNorm nor momentOrder; leave them out`,
      { mean: mean.name },
    );
  const lipschitz = everyRecordLipschitz(mean, problem);
  const known = Object.keys(problem.facts).some((name) => /^(?:uniformG|g)radientMoment\./u.test(name))
    ? declaredMoments(problem)[0].moment
    : Infinity;
  return {
    candidates: [{ order: Infinity, moment: lipschitz, secondMoment: Math.min(lipschitz, known) }],
    clipNorm: lipschitz,
  };
}

/** Nothing that is declared of a population tells of the largest gradient: it follows from bounds on every record. */
function everyRecordLipschitz({ name }: PrivateMean, problem: Problem): number {
  const value = lipschitzOf(problem);
  const declared = problem.facts['lipschitz'];
  if (value !== null) return value;
  throw new Unsupported(
    `the mean '${name}' takes noise for the largest gradient that any record may have, and the problem has no fact 'lipschitz' that holds for every record${declared === undefined ? '' : ': the one there is holds for the population only, and that is not enough'}. It follows from bounds on records (featureNorm or featureBounds, and labelBound) and a bounded domain (such as l2-ball): state those with the data, or use the method that clips, which needs none of them`,
    { fact: 'lipschitz', mean: name },
  );
}

/** How a plan asks for its means. */
export const releaseOf = ({ release }: Pick<PlannedPass, 'release'>): MeanRelease => release as MeanRelease;

/** The batches of a run. */
export const batchesFor = (
  { batches, batchSize, order }: Pick<OnePassSchedule & PlannedPass, 'batches' | 'batchSize' | 'order'>,
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
