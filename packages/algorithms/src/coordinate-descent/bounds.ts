import { InvalidParameter } from '@lethe/core';
import { requireCounts, requireLength, requireNonNegative, requirePositive } from '../common/require.js';

/**
 * One round. `N = E‖C σ_S 1‖²_{PM⁻¹}` of one step is `stepNoise`; `N′ = E‖C σ_S 1‖²_{P²M⁻¹} ≤ N` is
 * `riskNoise`.
 */
interface Round {
  readonly innerSteps: number;
  readonly stepNoise: number;
}

/**
 * Expected excess risk after one round of a convex method: `R²/K + N`, with `R = ‖w⁰ − w*‖_{MP⁻¹}`.
 *
 * @see Maranjyan, Sadiev and Richtárik 2024, Appendix E.1.
 */
export function convexBound({
  distance,
  innerSteps,
  stepNoise,
}: Round & { readonly distance: number }): number {
  requireCounts({ innerSteps });
  requireNonNegative({ distance, stepNoise });
  return distance ** 2 / innerSteps + stepNoise;
}

/**
 * The same from distance and excess risk at the start: `(R² + 2Δ₀)/(2K) + N`.
 *
 * @see Maranjyan, Sadiev and Richtárik 2024, Lemma E.1. The printed proof loses a factor 2;
 * {@link sharpRoundBound} proves the statement.
 */
export function roundBound({
  distance,
  gap,
  innerSteps,
  stepNoise,
}: Round & { readonly distance: number; readonly gap: number }): number {
  requireCounts({ innerSteps });
  requireNonNegative({ distance, gap, stepNoise });
  return (distance ** 2 + 2 * gap) / (2 * innerSteps) + stepNoise;
}

/**
 * Sharper: `R²/(2K) + (N + N′)/2`. In each step the squared distance in `Γ⁻¹` falls by `2(f − f*)` and rises
 * by `N`, and the risk rises by at most `N′/2`; summed over the round, and by convexity at the average.
 */
export function sharpRoundBound({
  distance,
  innerSteps,
  stepNoise,
  riskNoise,
}: Round & { readonly distance: number; readonly riskNoise: number }): number {
  requireCounts({ innerSteps });
  requireNonNegative({ distance, stepNoise, riskNoise });
  return distance ** 2 / (2 * innerSteps) + (stepNoise + riskNoise) / 2;
}

/**
 * For sketches that draw parts of a partition, where the smoothness inequality holds along each part only:
 * `(R² + 2(1/p_min − 1)Δ₀)/(2K) + (N + N′/p_min)/2`.
 *
 * @param options - `leastProbability`: `p_min`, of a part.
 */
export function blockwiseRoundBound({
  distance,
  gap,
  innerSteps,
  stepNoise,
  riskNoise,
  leastProbability,
}: Round & {
  readonly distance: number;
  readonly gap: number;
  readonly riskNoise: number;
  readonly leastProbability: number;
}): number {
  requireCounts({ innerSteps });
  requireNonNegative({ distance, gap, stepNoise, riskNoise });
  requirePositive({ leastProbability });
  if (leastProbability > 1)
    throw new InvalidParameter(`leastProbability is ${leastProbability}; a probability is at most 1`, {
      leastProbability,
    });
  return (
    (distance ** 2 + 2 * (1 / leastProbability - 1) * gap) / (2 * innerSteps) +
    (stepNoise + riskNoise / leastProbability) / 2
  );
}

/** Rounds of a strongly convex method; `condition` is `κ`, `gap` is `Δ₀`. */
interface Restarts extends Round {
  readonly gap: number;
  readonly condition: number;
  readonly rounds: number;
}

/**
 * Expected excess risk after `T` rounds: `r^T Δ₀ + N (1 − r^T)/(1 − r)` with `r = (1 + κ)/K`.
 *
 * @throws {InvalidParameter} unless `K > 1 + κ`.
 * @see Maranjyan, Sadiev and Richtárik 2024, Appendix E.2, whose recursion this solves.
 */
export function stronglyConvexBound({ gap, condition, innerSteps, rounds, stepNoise }: Restarts): number {
  requireNonNegative({ stepNoise });
  return geometric({ gap, rounds, innerSteps, per: 1 + condition, noise: stepNoise, condition });
}

/**
 * Sharper, from {@link sharpRoundBound}: the same with `r = κ/K` and noise `(N + N′)/2`.
 *
 * @throws {InvalidParameter} unless `K > κ`.
 */
export function sharpStronglyConvexBound({
  gap,
  condition,
  innerSteps,
  rounds,
  stepNoise,
  riskNoise,
}: Restarts & { readonly riskNoise: number }): number {
  requireNonNegative({ stepNoise, riskNoise });
  return geometric({
    gap,
    rounds,
    innerSteps,
    per: condition,
    noise: (stepNoise + riskNoise) / 2,
    condition,
  });
}

function geometric({
  gap,
  rounds,
  innerSteps,
  per,
  noise,
  condition,
}: {
  readonly gap: number;
  readonly rounds: number;
  readonly innerSteps: number;
  readonly per: number;
  readonly noise: number;
  readonly condition: number;
}): number {
  requireCounts({ rounds, innerSteps });
  requireNonNegative({ gap });
  requirePositive({ condition });
  if (!(innerSteps > per))
    throw new InvalidParameter(
      `a round of ${innerSteps} steps does not contract at condition ${condition}; take more than ${per}`,
      { innerSteps, condition, needed: per },
    );
  const ratio = per / innerSteps;
  const remaining = ratio ** rounds;
  return remaining * gap + (noise * (1 - remaining)) / (1 - ratio);
}

/** Of a schedule by Theorem 4.2: `X`, and `unit = Σ_S² c` with `c = log(1/δ)/(n²ε²)`. */
interface Explicit {
  readonly condition: number;
  readonly ratio: number;
  readonly unit: number;
}

/**
 * The explicit bound printed in Appendix E.2, `24 (1 + log₂(X/24)) (1 + κ) Σ_S² c`. It is false: negative for
 * `X < 12`, and exceeded at `X = 16`. Kept so that it can be shown; use {@link safeStronglyConvexBound}.
 */
export function printedStronglyConvexBound({ condition, ratio, unit }: Explicit): number {
  requirePositive({ condition, ratio, unit });
  return 24 * (1 + Math.log2(ratio / 24)) * (1 + condition) * unit;
}

/**
 * What the recursion of Appendix E.2 gives at `K = 2(1 + κ)`
 * and `T = log₂ X ≥ 0`: `(1 + 48 log₂ X) (1 + κ) Σ_S² c`.
 */
export function safeStronglyConvexBound({ condition, ratio, unit }: Explicit): number {
  requirePositive({ condition, ratio, unit });
  if (ratio < 1)
    throw new InvalidParameter(
      `ratio is ${ratio}; below 1 there is no round to take. ` +
        'Use stronglyConvexBound with the integers of the schedule.',
      { ratio },
    );
  return (1 + 48 * Math.log2(ratio)) * (1 + condition) * unit;
}

/** `(Σ_j weights_j v_j²)^½`. */
export function weightedNorm(v: ArrayLike<number>, weights: ArrayLike<number>): number {
  requireLength(v.length, 'weights', weights);
  return Math.sqrt(Array.from(v).reduce((sum, entry, j) => sum + weights[j] * entry * entry, 0));
}
