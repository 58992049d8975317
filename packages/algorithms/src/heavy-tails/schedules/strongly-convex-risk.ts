import { stochasticStepSizes, type WeightedSteps } from './stochastic-step-sizes.js';
import type { ScheduleName } from './least-bound.js';

/** What Proposition 32 reads. */
export interface StronglyConvexRun {
  /** `β`, and `μ ≤ β`. */
  readonly smoothness: number;
  readonly convexity: number;
  /** `D ≥ ‖w_0 − w*‖`. */
  readonly diameter: number;
  /** `T`: there are `T + 1` steps. */
  readonly rounds: number;
  /** `Σ²` and `B` of every step. */
  readonly variance: number;
  readonly bias: number;
}

/**
 * Bound on the expected excess risk of the weighted average of projected stochastic gradient descent.
 *
 * - `printed`: `32βD² exp(−T/(4κ)) + 72Σ²/(μT) + 2B²/μ`, for step sizes of which the paper only says that
 *   they exist.
 * - `corrected`: what the recursion `r_{t+1} ≤ (1 − μη_t)r_t − η_t(s_t − 2B²/μ) + 2η_t²Σ²` gives for the
 *   steps of {@link stochasticStepSizes}, computed number by number ({@link recursionBound}). It assumes no
 *   sign of `s_t − 2B²/μ`, which the printed proof does.
 *
 * @see Lowy & Razaviyayn, Proposition 32.
 */
export function stronglyConvexExcessRisk(run: StronglyConvexRun, schedule: ScheduleName): number {
  const { smoothness: beta, convexity: mu, diameter: D, rounds: T, variance, bias } = run;
  if (schedule === 'printed')
    return (
      32 * beta * D ** 2 * Math.exp((-T * mu) / (4 * beta)) +
      (72 * variance) / (mu * T) +
      (2 * bias ** 2) / mu
    );
  return recursionBound(run, stochasticStepSizes({ convexity: mu, smoothness: beta, rounds: T }));
}

/**
 * Bound on `E F(ŵ) − F*` for any step sizes `η_t ≤ 1/β` and weights: the largest `Σ ζ_t s_t / Z` that the
 * recursion of {@link stronglyConvexExcessRisk} allows from `r_0 ≤ D²`, by its dual. Multipliers
 * `λ_t = max(ζ_t/(Zη_t), λ_{t+1}(1 − μη_{t+1}))` of the steps leave
 * `λ_0(1 − μη_0)D² + Σ_t λ_tη_t(2B²/μ + 2η_tΣ²)`.
 */
export function recursionBound(
  { convexity: mu, diameter: D, variance, bias }: StronglyConvexRun,
  { stepSizes, weights }: WeightedSteps,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let multiplier = 0;
  let bound = 0;
  let kept = 0;
  for (let t = stepSizes.length - 1; t >= 0; t--) {
    const eta = stepSizes[t];
    multiplier = Math.max(weights[t] / (total * eta), kept);
    bound += multiplier * eta * ((2 * bias ** 2) / mu + 2 * eta * variance);
    kept = multiplier * Math.max(0, 1 - mu * eta);
  }
  return bound + kept * D ** 2;
}

/**
 * {@link recursionBound} for the steps of {@link stochasticStepSizes}, which is
 * `start·D² + error·2B²/μ + squares·2Σ²`, in closed form: it takes no more time for many rounds. Its
 * multipliers are `ζ_t/(Zη_t)` where there is weight, and shrink by `1 − μ/β` a step before.
 */
export function recursionCoefficients({
  smoothness: beta,
  convexity: mu,
  rounds: T,
}: Pick<StronglyConvexRun, 'smoothness' | 'convexity' | 'rounds'>): {
  readonly start: number;
  readonly error: number;
  readonly squares: number;
} {
  const kappa = beta / mu;
  const kept = 1 - mu / beta;
  if (T <= kappa)
    return { start: (mu * kept ** (T + 1)) / (1 - kept ** (T + 1)), error: 1, squares: 1 / beta };
  const begin = Math.ceil(T / 2);
  const last = T - begin;
  const total = (last + 1) * (2 * kappa + last / 2);
  const before = ((2 * kappa ** 2) / total) * kept;
  const head = before * (1 - kept ** begin);
  return {
    start: before * mu * kept ** begin,
    error: 1 + head,
    squares: (2 * (last + 1)) / (mu * total) + head / beta,
  };
}

/**
 * Without strong convexity: `D²/(2η(T+1)) + B·diameter + ηΣ²` for the plain average of `T + 1` steps of one
 * size `η ≤ 1/β`, by the same recursion with `μ = 0` and `|⟨b, w − w*⟩| ≤ B·diameter`.
 */
export const averagedExcessRisk = ({
  stepSize,
  rounds,
  startDistance,
  diameter,
  variance,
  bias,
}: {
  readonly stepSize: number;
  readonly rounds: number;
  readonly startDistance: number;
  readonly diameter: number;
  readonly variance: number;
  readonly bias: number;
}): number => startDistance ** 2 / (2 * stepSize * (rounds + 1)) + bias * diameter + stepSize * variance;
