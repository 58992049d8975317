import { clippedMeanSensitivity, sensitivityUnder, type PlanContext, type Problem } from '@lethe/core';
import { z } from 'zod';
import type { LocalizedPhase } from './phases.js';

/** Parameters that the methods with phases share. */
export const localizedSchema = {
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
  clipNorm: z.number().positive().optional().describe('C of every phase. Left out: from Theorem 41.'),
  mostRounds: z
    .int()
    .positive()
    .optional()
    .describe('No phase takes more rounds; the predicted bound is that of the rounds taken.'),
  order: z
    .enum(['shuffled', 'stored'])
    .default('shuffled')
    .describe('Whether records are shuffled before they are dealt to phases.'),
  noiseMultiplier: z
    .number()
    .positive()
    .optional()
    .describe(
      'Noise over sensitivity of a phase as a whole: each of its T rounds gets √T times that. Left out: calibrated to the budget.',
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
  order: localizedSchema.order,
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

/** What says what noise costs. */
type Costs = Pick<PlanContext<unknown, Problem['capabilities']>, 'problem' | 'noiseFor'>;

/** A plan of phases, as far as steps read it. */
const draftOf = (phases: readonly PlannedPhase[]): object => ({ phases, order: 'shuffled' });

/** Noise over sensitivity of a phase that releases once, and the paper’s `ε` that it is. */
export function phaseBudget(
  {
    problem: {
      adjacency,
      slots: [slots],
    },
    noiseFor,
  }: Costs,
  given?: number,
): { readonly noiseMultiplier: number; readonly epsilon: number } {
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
    given ?? noiseFor((multiplier) => draftOf([{ ...once, noiseMultiplier: multiplier } as PlannedPhase]));
  return {
    noiseMultiplier,
    epsilon: 2 / (noiseMultiplier * sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean')),
  };
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
  { problem: { adjacency }, noiseFor }: Costs,
  phases: readonly LocalizedPhase[],
  variant: 'full-batch' | 'subsampled',
  given?: number,
): readonly PlannedPhase[] {
  const factor = sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean');
  const planned = (phase: LocalizedPhase, noiseMultiplier: number): PlannedPhase => {
    const samplingRate = variant === 'subsampled' ? phase.records ** -0.5 : 1;
    return {
      ...phase,
      samplingRate,
      noiseMultiplier,
      noise: (noiseMultiplier * factor * phase.clipNorm) / (samplingRate * phase.records),
    };
  };
  const alike = new Map<string, number>();
  const shares = phases.map((phase): number => {
    if (variant === 'full-batch' || given !== undefined) return Math.sqrt(phase.rounds);
    const key = `${phase.records} ${phase.rounds}`;
    const share = alike.get(key) ?? noiseFor((multiplier) => draftOf([planned(phase, multiplier)]));
    alike.set(key, share);
    return share;
  });
  const scaledBy = (scale: number): readonly PlannedPhase[] =>
    phases.map((phase, i) => planned(phase, scale * shares[i]));
  return scaledBy(given ?? noiseFor((scale) => draftOf(scaledBy(scale))));
}

/** Gradients that phases ask for on average over draws. */
export const phaseGradients = (phases: readonly PlannedPhase[]): number =>
  phases.reduce((sum, { samplingRate, records, rounds }) => sum + samplingRate * records * rounds, 0);
