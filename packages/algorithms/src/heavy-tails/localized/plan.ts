import {
  clippedMeanSensitivity,
  referenceTo,
  sensitivityUnder,
  type PlanContext,
  type Problem,
} from '@lethe/core';
import * as z from 'zod';
import { ballRadius, clipOfRadius, givenMean, noiseOfMean, type GivenMean } from '../../common/given-mean.js';
import { clipNormSchema, plannedQuantileSchema, type PlannedQuantile } from '../../common/private-clip.js';
import { foundBefore } from '../../standard/quantile-before.js';
import { askedClip } from '../found-clip.js';
import { clippingBias, type ScheduleName } from '../schedules/least-bound.js';
import { localizedExcessRisk, type LocalizedRun } from './excess-risk.js';
import type { LocalizedOverrides, LocalizedPhase } from './phases.js';

/** Parameters that the methods with phases share. */
export const localizedSchema = {
  mean: z
    .optional(referenceTo('mean'))
    .describe(
      'Private mean for subgradients of unit size. Left out: clipped to radius 1, with Gaussian noise.',
    ),
  schedule: z
    .enum(['corrected', 'printed'])
    .default('corrected')
    .describe('Theorem 41 as corrected, or as printed.'),
  variant: z
    .enum(['full-batch', 'subsampled'])
    .default('full-batch')
    .describe('All records of a phase in each of its rounds; or Poisson draws of expected size √(records).'),
  momentOrder: z
    .number()
    .min(2)
    .optional()
    .describe('k; moments of order 2k are needed. Left out: the k with the least predicted bound.'),
  clipNorm: z
    .optional(clipNormSchema)
    .describe(
      'C of every phase, to which the mean is scaled; or a quantile of the norms at the start, found ' +
        'privately. Left out: from Theorem 41, and at most the Lipschitz constant of every record.',
    ),
  mostRounds: z
    .int()
    .positive()
    .optional()
    .describe('No phase takes more rounds; the predicted bound is that of the rounds taken.'),
  order: z
    .enum(['shuffled', 'stored'])
    .default('shuffled')
    .describe('Whether records are shuffled before they are assigned to phases.'),
  noiseMultiplier: z
    .number()
    .positive()
    .optional()
    .describe(
      'Noise over sensitivity of a phase as a whole: each of its T rounds gets √T times that. Left out: ' +
        'calibrated to the budget.',
    ),
};

/** A phase with how its means are drawn and released. */
export interface PlannedPhase extends LocalizedPhase {
  /** Probability with which a record of the phase takes part in a round; 1 for all. */
  readonly samplingRate: number;
  /** Noise over sensitivity of each round. */
  readonly noiseMultiplier: number;
}

/** What steps read of a plan with phases. */
export const phasesSchema = z.looseObject({
  mean: referenceTo('mean'),
  order: localizedSchema.order,
  quantile: z.nullable(plannedQuantileSchema),
  phases: z
    .array(
      z.looseObject({
        records: z.int().positive(),
        rounds: z.int().positive(),
        stepSize: z.number().positive(),
        strength: z.number().nonnegative(),
        radius: z.number().positive(),
        clipNorm: z.number().positive(),
        noiseMultiplier: z.number().positive(),
        samplingRate: z.number().positive().max(1),
      }),
    )
    .min(1),
});

/** The mean of a method with phases, and what says what its noise costs. */
export interface PhaseCosts extends Pick<
  PlanContext<unknown, Problem['capabilities']>,
  'problem' | 'noiseFor'
> {
  readonly mean: GivenMean;
  /** The clip norm of every phase, where it is given as a number. */
  readonly clipNorm: number | undefined;
  /** How it is found; `null` where it is that of the phases. */
  readonly quantile: PlannedQuantile | null;
}

/**
 * The mean that a method with phases is given, with what its noise costs.
 *
 * @throws {InvalidParameter} for a clip norm of a mean that cannot be scaled.
 * @throws {IncompatiblePlugins} for a mean that does not clip, or is not of the central model, and for a
 * quantile with one that cannot be scaled.
 */
export function phaseCosts(
  optimizer: string,
  {
    problem,
    registry,
    budget,
    noiseFor,
    params: { mean: ref, clipNorm },
  }: Pick<
    PlanContext<z.output<z.ZodObject<typeof localizedSchema>>, Problem['capabilities']>,
    'problem' | 'registry' | 'budget' | 'noiseFor' | 'params'
  >,
): PhaseCosts {
  const needs = { optimizer, trust: 'central', privacyRestsOn: 'clip' } as const;
  const mean = givenMean(ref, registry, needs, typeof clipNorm === 'number' ? clipNorm : undefined);
  return { problem, noiseFor, mean, ...askedClip(clipNorm, mean, { problem, budget }) };
}

/** The largest clip norm that phases choose: that at which the mean leaves every gradient whole. */
export const largestClip = ({ mean, problem }: PhaseCosts, longest: number | undefined): number | undefined =>
  longest === undefined ? undefined : (clipOfRadius(mean, problem, longest) ?? undefined);

/** A plan of phases, as far as steps read it. */
const draftOf = ({ mean: { ref }, quantile }: PhaseCosts, phases: readonly PlannedPhase[]): object => ({
  phases,
  order: 'shuffled',
  mean: ref,
  quantile,
});

/**
 * Standard deviation of one coordinate's noise in the mean at a clip norm, over so many records or draws of
 * them.
 */
const noiseOver = (
  { problem, mean }: PhaseCosts,
  release: { readonly clipNorm: number; readonly batchSize: number },
  noiseMultiplier: number,
  size: 'exact' | 'hidden' = 'exact',
): number =>
  noiseOfMean(
    mean,
    { problem, target: { noiseMultiplier }, size, honestIn: (batchSize) => batchSize },
    release,
  );

/**
 * Noise over sensitivity of a phase that releases once, and the paper’s `ε` that it is. A mean that cannot be
 * scaled has the clip norm of the mean of clipped records with as much noise.
 */
export function phaseBudget(
  costs: PhaseCosts,
  given?: number,
): { readonly noiseMultiplier: number; readonly epsilon: number } & Pick<LocalizedOverrides, 'clipNorm'> {
  const {
    problem: {
      adjacency,
      slots: [slots],
    },
    noiseFor,
    mean: { hasUnits },
  } = costs;
  const once = {
    records: slots,
    rounds: 1,
    stepSize: 1,
    strength: 0,
    radius: 1,
    clipNorm: 1,
    samplingRate: 1,
  };
  const noiseMultiplier =
    given ??
    noiseFor((multiplier) => draftOf(costs, [{ ...once, noiseMultiplier: multiplier } as PlannedPhase]));
  const noise = noiseOver(costs, { clipNorm: 1, batchSize: slots }, noiseMultiplier);
  if (hasUnits) return { noiseMultiplier, epsilon: 2 / (slots * noise) };
  const epsilon =
    2 / (noiseMultiplier * sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean'));
  return { noiseMultiplier, epsilon, clipNorm: (noise * slots * epsilon) / 2 };
}

/**
 * Calibrates the noise of phases on disjoint records. On all records of a phase, `T` rounds with `√T` times
 * the noise are one Gaussian exactly, and one number serves all phases. With draws each phase has the budget
 * to itself, too, but costs differ in shape: phases are calibrated one by one, then scaled together until the
 * whole meets the budget.
 *
 * @param given - Noise over sensitivity of a phase as a whole.
 */
export function plannedPhases(
  costs: PhaseCosts,
  phases: readonly LocalizedPhase[],
  variant: 'full-batch' | 'subsampled',
  given?: number,
): readonly PlannedPhase[] {
  const { noiseFor } = costs;
  const planned = (phase: LocalizedPhase, noiseMultiplier: number): PlannedPhase => {
    const samplingRate = variant === 'subsampled' ? phase.records ** -0.5 : 1;
    const size = samplingRate < 1 ? 'hidden' : 'exact';
    const release = { clipNorm: phase.clipNorm, batchSize: samplingRate * phase.records };
    const noise = noiseOver(costs, release, noiseMultiplier, size);
    return { ...phase, samplingRate, noiseMultiplier, noise };
  };
  const alike = new Map<string, number>();
  const shares = phases.map((phase): number => {
    if (variant === 'full-batch' || given !== undefined) return Math.sqrt(phase.rounds);
    const key = `${phase.records} ${phase.rounds}`;
    const share = alike.get(key) ?? noiseFor((multiplier) => draftOf(costs, [planned(phase, multiplier)]));
    alike.set(key, share);
    return share;
  });
  const scaledBy = (scale: number): readonly PlannedPhase[] =>
    phases.map((phase, i) => planned(phase, scale * shares[i]));
  return scaledBy(given ?? noiseFor((scale) => draftOf(costs, scaledBy(scale))));
}

/**
 * {@link localizedExcessRisk} of phases whose mean scales records into
 * a ball, whose radius need not be the clip norm of the phase.
 */
export function riskOf(
  { problem, mean }: PhaseCosts,
  run: LocalizedRun & {
    readonly order: number;
    readonly uniformDoubleMoment: number;
    readonly longest?: number | undefined;
  },
  schedule: ScheduleName,
): number {
  const { order, uniformDoubleMoment: moment, longest } = run;
  const phases = run.phases.map((phase) => {
    const clipNorm = ballRadius(mean, problem, phase.clipNorm);
    if (clipNorm === null) return phase;
    return { ...phase, clipNorm, bias: clippingBias({ clipNorm, order, moment, longest, schedule }) };
  });
  return localizedExcessRisk({ ...run, phases });
}

/** Why there is no bound where iterates depend on the records of a mean; `null` where there is one. */
export const uncoveredBy = (
  mean: GivenMean,
  problem: Problem,
  quantile: PlannedQuantile | null,
): string | null => {
  if (quantile !== null) return foundBefore;
  return ballRadius(mean, problem) === null
    ? `the mean '${mean.plugin.name}' is not that of records scaled into a ball: moments do not bound ` +
        'its error at iterates that depend on the records'
    : null;
};

/** Gradients that phases ask for on average over draws. */
export const phaseGradients = (phases: readonly PlannedPhase[]): number =>
  phases.reduce((sum, { samplingRate, records, rounds }) => sum + samplingRate * records * rounds, 0);
