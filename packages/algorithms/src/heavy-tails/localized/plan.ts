import { clippedMeanEvent, clippedMeanSensitivity, parallelEvent, repeatedEvent, sampledEvent, sensitivityUnder, type Budget, type Calibrate, type PrivacyEvent, type Problem } from '@lethe/core';
import { z } from 'zod';
import type { LocalizedPhase } from './phases.js';

/** Parameters that the methods with phases share. */
export const localizedSchema = {
  schedule: z.enum(['corrected', 'printed']).default('corrected').describe('Theorem 41 as corrected, or as printed.'),
  variant: z.enum(['full-batch', 'subsampled']).default('full-batch').describe('All records of a phase in each of its rounds; or Poisson draws of expected size √(records).'),
  momentOrder: z.number().min(2).optional().describe('k; moments of order 2k are needed. Left out: the k with the least predicted bound.'),
  clipNorm: z.number().positive().optional().describe('C of every phase. Left out: from Theorem 41.'),
  mostRounds: z.int().positive().optional().describe('No phase takes more rounds; the predicted bound is that of the rounds taken.'),
  order: z.enum(['shuffled', 'stored']).default('shuffled').describe('Whether records are shuffled before they are dealt to phases.'),
  noiseMultiplier: z.number().positive().optional().describe('Noise over sensitivity of a phase as a whole: each of its T rounds gets √T times that. Left out: calibrated to the budget.'),
  checkpointEvery: z.int().positive().default(1000).describe('Rounds between places to resume from.'),
};

/** A phase with how its means are drawn and released. */
export interface PlannedPhase extends LocalizedPhase {
  /** Probability with which a record of the phase takes part in a round; 1 for all. */
  readonly samplingRate: number;
  /** Noise over sensitivity of each round. */
  readonly noiseMultiplier: number;
}

/** The numbers of a `Problem` that say what noise costs. */
interface Costs { readonly problem: Problem; readonly budget: Budget; readonly calibrate: Calibrate }

/** Noise over sensitivity of a phase that releases once, and the paper’s `ε` that it is. */
export function phaseBudget({ problem: { adjacency }, budget, calibrate }: Costs, given?: number): { readonly noiseMultiplier: number; readonly epsilon: number } {
  const noiseMultiplier = given ?? calibrate({ make: (multiplier) => parallelEvent([clippedMeanEvent(multiplier, adjacency)]), target: budget, adjacency, direction: 'larger-is-private' }).value;
  return { noiseMultiplier, epsilon: 2 / (noiseMultiplier * sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean')) };
}

/**
 * Calibrates the noise of phases on disjoint records. On all records of a phase, `T` rounds with `√T` times the noise are one Gaussian exactly, and one number serves
 * all phases. With draws each phase has the budget to itself, too, but costs differ in shape: phases are calibrated one by one, then scaled together until the whole meets the budget.
 *
 * @param given - Noise over sensitivity of a phase as a whole.
 */
export function plannedPhases({ problem, budget, calibrate }: Costs, phases: readonly LocalizedPhase[], variant: 'full-batch' | 'subsampled', given?: number): { readonly phases: readonly PlannedPhase[]; readonly event: PrivacyEvent } {
  const { adjacency } = problem, factor = sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean');
  const rates = phases.map(({ records }) => (variant === 'subsampled' ? records ** -0.5 : 1));
  const eventOf = (at: number, multiplier: number): PrivacyEvent => {
    const one = clippedMeanEvent(multiplier, adjacency), rate = rates[at]!;
    return repeatedEvent(rate < 1 ? sampledEvent({ kind: 'core/poisson', rate }, one) : one, phases[at]!.rounds);
  };
  const meet = (make: (multiplier: number) => PrivacyEvent): number => calibrate({ make, target: budget, adjacency, direction: 'larger-is-private' }).value;
  const alike = new Map<string, number>();
  const shares = phases.map(({ records, rounds }, at): number => {
    if (variant === 'full-batch' || given !== undefined) return Math.sqrt(rounds);
    const key = `${records} ${rounds}`, share = alike.get(key) ?? meet((multiplier) => eventOf(at, multiplier));
    alike.set(key, share);
    return share;
  });
  const wholeEvent = (scale: number): PrivacyEvent => parallelEvent(shares.map((share, at) => eventOf(at, scale * share)));
  const scale = given ?? meet(wholeEvent);
  return {
    phases: phases.map((phase, at): PlannedPhase => {
      const noiseMultiplier = scale * shares[at]!, samplingRate = rates[at]!;
      return { ...phase, samplingRate, noiseMultiplier, noise: (noiseMultiplier * factor * phase.clipNorm) / (samplingRate * phase.records) };
    }),
    event: wholeEvent(scale),
  };
}

/** Gradients that phases ask for: at most, and on average over draws. */
export function phaseGradients(phases: readonly PlannedPhase[]): { readonly gradients: number; readonly expectedGradients: number } {
  const sum = (weight: (phase: PlannedPhase) => number): number => phases.reduce((total, phase) => total + weight(phase) * phase.records * phase.rounds, 0);
  return { gradients: sum(() => 1), expectedGradients: sum(({ samplingRate }) => samplingRate) };
}
