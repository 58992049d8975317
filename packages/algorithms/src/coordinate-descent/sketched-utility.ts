import { InvalidParameter, Unsupported, type Adjacency, type Problem } from '@lethe/core';
import type { SketchConstants } from '@lethe/mechanisms';
import {
  blockwiseRoundBound,
  convexBound,
  sharpRoundBound,
  sharpStronglyConvexBound,
  weightedNorm,
} from './bounds.js';
import type { CoordinateConstraints } from './coordinate-constraints.js';
import type { PlannedSketch } from './planned-sketch.js';
import { requireNonNegative } from '../common/require.js';
import { convexSchedule, stronglyConvexSchedule, type Schedule } from './schedule.js';
import type { RecordRadius } from './mean-along.js';
import type { DescentParams } from './descent-schema.js';

/** What facts tell of the way from the start to the minimiser; `null` where they tell nothing. */
export interface Reach {
  /** `R_{MP⁻¹}`, or an upper bound. */
  readonly distance: number | null;
  /** `f(w⁰) − f*`, or an upper bound. */
  readonly gap: number | null;
  /** `κ = max (M/p) / μ`. */
  readonly condition: number | null;
  /** `1/p_min − 1` of the parts, where smoothness holds along each of them only; otherwise 0. */
  readonly excess: number;
}

/**
 * Facts read: `startDistance.j` for every coordinate, `startDistance`, the diameter of a bounded domain;
 * `startGap`, else `½ R²_M`; `strongConvexity` of loss and regulariser together, or the least strength of a
 * ridge.
 *
 * @throws {InvalidParameter} for facts that are negative or not finite, and when strong convexity exceeds
 * smoothness.
 */
export function reachOf(
  { facts, dimension }: Problem,
  { smoothness, everywhere, marginals, parts }: PlannedSketch,
  { ridge, diameter }: CoordinateConstraints,
): Reach {
  const factOf = (name: string): number | undefined => {
    const value = facts[name]?.value;
    if (value !== undefined) requireNonNegative({ [`the fact '${name}'`]: value });
    return value;
  };
  const offsets = Array.from({ length: dimension }, (_, j) => factOf(`startDistance.${j}`));
  const whole = Math.min(factOf('startDistance') ?? Infinity, diameter);
  const measured = (weights: Float64Array): number =>
    Math.min(
      offsets.every((offset) => offset !== undefined) ? weightedNorm(offsets, weights) : Infinity,
      whole * Math.sqrt(weights.reduce((most, weight) => Math.max(most, weight))),
    );
  const ratios = smoothness.map((M, j) => M / marginals[j]);
  const distance = measured(ratios);
  const gap = Math.min(factOf('startGap') ?? Infinity, measured(everywhere) ** 2 / 2);
  const convexity = Math.max(
    factOf('strongConvexity') ?? 0,
    ridge?.reduce((least, strength) => Math.min(least, strength)) ?? 0,
  );
  const condition = ratios.reduce((most, ratio) => Math.max(most, ratio)) / convexity;
  if (condition < 1 - 1e-9)
    throw new InvalidParameter(
      `the risk would be ${convexity}-strongly convex, more than its smoothness constants allow; correct ` +
        "the fact 'strongConvexity' or the parameter smoothness",
      { strongConvexity: convexity },
    );
  return {
    distance: distance < Infinity ? distance : null,
    gap: gap < Infinity ? gap : null,
    condition: condition < Infinity ? condition : null,
    excess: parts === null ? 0 : 1 / marginals.reduce((least, p) => Math.min(least, p)) - 1,
  };
}

/** Rounds and steps, and what they were made of. */
export interface PlannedLength extends Schedule {
  readonly schedule: {
    readonly name: DescentParams['schedule'];
    readonly rule: DescentParams['rule'] | null;
    readonly exact: number | null;
    readonly ratio: number | null;
  } & Omit<Reach, 'excess'>;
}

/**
 * Rounds and steps: as given, otherwise from the schedule.
 *
 * @param unitNoise - `v`, asked for only if a schedule needs it.
 * @throws {Unsupported} when a fact is missing that the schedule needs.
 */
export function lengthOf(
  {
    schedule: name,
    rule,
    rounds,
    innerSteps,
  }: Pick<DescentParams, 'schedule' | 'rule' | 'rounds' | 'innerSteps'>,
  reach: Reach,
  { noise }: SketchConstants,
  unitNoise: () => number,
): PlannedLength {
  const { distance, gap, condition, excess } = reach;
  const of = {
    name,
    rule: name === 'convex' ? rule : null,
    exact: null,
    ratio: null,
    distance,
    gap,
    condition,
  };
  const missing = (what: string, instead: string): Unsupported =>
    new Unsupported(`the ${name} schedule needs ${what}; declare it, or give ${instead}`, { schedule: name });
  if (innerSteps !== undefined && (rounds !== undefined || name === 'convex'))
    return { rounds: rounds ?? 1, innerSteps, schedule: of };
  if (name === 'convex') {
    if (distance === null)
      throw missing(
        "the fact 'startDistance' (or 'startDistance.j' for every coordinate), an upper bound on the " +
          'distance from the start to the minimiser',
        'the parameter innerSteps',
      );
    const { exact, innerSteps: steps } = convexSchedule({ distance, noise, unitNoise: unitNoise(), rule });
    return { rounds: rounds ?? 1, innerSteps: steps, schedule: { ...of, exact } };
  }
  if (condition === null)
    throw missing("the fact 'strongConvexity', or a ridge", 'the parameters rounds and innerSteps');
  if (gap === null)
    throw missing("the fact 'startGap' or 'startDistance'", 'the parameters rounds and innerSteps');
  const planned = stronglyConvexSchedule({
    condition: condition + excess,
    gap,
    noise,
    unitNoise: unitNoise(),
  });
  return {
    rounds: rounds ?? planned.rounds,
    innerSteps: innerSteps ?? planned.innerSteps,
    schedule: { ...of, ratio: planned.ratio },
  };
}

/** Noise of a step, and whether the facts say that the smoothness constants are ones. */
interface RiskTerms {
  readonly stepNoise: number;
  readonly riskNoise: number;
  readonly follows: boolean;
}

/** The bound of one round as printed, `R²/K + N`, to compare with; `null` for what it is not stated for. */
export const printedBound = (
  { rounds, innerSteps }: Schedule,
  { distance, excess }: Reach,
  stepNoise: number,
): number | null =>
  rounds === 1 && excess === 0 && distance !== null ? convexBound({ distance, innerSteps, stepNoise }) : null;

/**
 * The least of the bounds that cover a run, which says so where
 * it rests on numbers that were given; `null` where none does.
 */
export function riskBound(
  { rounds, innerSteps }: Schedule,
  { distance, gap, condition, excess }: Reach,
  { stepNoise, riskNoise, follows }: RiskTerms,
): { readonly bound: number; readonly source: string } | null {
  const covering: { bound: number; source: string }[] = [];
  const from =
    'maranjyan-2024, expected excess empirical ' +
    `risk${follows ? '' : ' if ∇²f ≼ Diag(M) for the smoothness given, which facts do not say'}`;
  if (rounds === 1 && distance !== null) {
    if (excess === 0)
      covering.push({
        bound: sharpRoundBound({ distance, innerSteps, stepNoise, riskNoise }),
        source: `${from}, Lemma E.1 sharpened: R²/(2K) + (N + N′)/2`,
      });
    else if (gap !== null)
      covering.push({
        bound: blockwiseRoundBound({
          distance,
          gap,
          innerSteps,
          stepNoise,
          riskNoise,
          leastProbability: 1 / (1 + excess),
        }),
        source:
          `${from}, Lemma E.1 sharpened, for smoothness along parts: ` +
          '(R² + 2(1/p − 1)Δ₀)/(2K) + (N + N′/p)/2',
      });
  }
  if (gap !== null && condition !== null && innerSteps > condition + excess) {
    const bound = sharpStronglyConvexBound({
      gap,
      condition: condition + excess,
      innerSteps,
      rounds,
      stepNoise,
      riskNoise: riskNoise * (1 + excess),
    });
    covering.push({ bound, source: `${from}, the recursion of Theorem 4.2 with Lemma E.1 sharpened` });
  }
  return covering.reduce<{ bound: number; source: string } | null>(
    (least, one) => (least === null || one.bound < least.bound ? one : least),
    null,
  );
}

/** What a plan knows when it bounds the risk. */
export interface Covered {
  readonly land: CoordinateConstraints;
  readonly radius: RecordRadius;
  readonly adjacency: Adjacency;
}

/** Why the theory says nothing of a problem, whatever is declared of it; `null` where it does. */
export function obstacleIn({ land, radius, adjacency }: Covered): string | null {
  const reasons = [
    land.obstacle,
    radius.cut,
    adjacency === 'add-remove'
      ? 'under add-remove means are divided by a guess: the risk that is descended on is a multiple of ' +
        'the average loss, by a factor nobody knows'
      : null,
  ].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** Why a run that the theory covers has no bound: what is not declared, or too short a round. */
export function lackingFor({ rounds, innerSteps }: Schedule, { gap, condition, excess }: Reach): string {
  if (rounds === 1)
    return (
      "the fact 'startDistance', or 'startDistance.j' for every coordinate, is missing: an upper bound " +
      'on the distance from the start to the minimiser'
    );
  if (condition === null)
    return (
      'more than one round is bounded for strongly convex risks only: take one, declare the fact ' +
      "'strongConvexity', or add a ridge"
    );
  if (gap === null)
    return (
      "the fact 'startGap', or 'startDistance', is missing: " +
      'an upper bound on the excess risk of the start'
    );
  return (
    `a round of ${innerSteps} steps is no longer than the condition number ${condition + excess}, and ` +
    'need not lower the risk: take more innerSteps'
  );
}
