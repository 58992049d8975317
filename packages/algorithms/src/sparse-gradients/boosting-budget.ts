import { InvalidParameter } from '@lethe/core';
import { requirePositive } from '../common/require.js';

/** When a selection of runs ends. */
export interface Stopping {
  /** γ in (0, 1): probability with which a run is the last. */
  readonly stopProbability: number;
  /** K: runs at most. */
  readonly cap: number;
}

/** What Algorithm 5 spends on a run, on its score, and how many runs it makes. */
export interface BoostingBudget extends Stopping {
  /** ε/12 and δ₁ = (δ/(4K))². */
  readonly base: { readonly epsilon: number; readonly delta: number };
  /** Noise over sensitivity of the Laplace noise of a score: 12/ε. */
  readonly scoreMultiplier: number;
}

/**
 * The printed split of a budget: K = ⌈ln(2/δ)/γ⌉ runs at most, each of them (ε/6, δ₁)-private with its score.
 * By Liu and Talwar's Theorem 3.4 the best of them is (ε/2 + 3√(2δ₁), √(2δ₁)K + δ/2)-private, which is within
 * (ε, δ) where δ ≤ ε/10.
 *
 * @throws {InvalidParameter} unless ε is positive, δ in (0, ε/10] and below 1, and γ in (0, 1).
 * @see Ghazi and others, Algorithm 5 and Theorem 6.1. K is no whole number in print.
 */
export function boostingBudget({
  epsilon,
  delta,
  stopProbability,
}: {
  readonly epsilon: number;
  readonly delta: number;
  readonly stopProbability: number;
}): BoostingBudget {
  requirePositive({ epsilon });
  if (!(delta > 0 && delta < 1 && delta <= epsilon / 10))
    throw new InvalidParameter(
      `delta is ${delta}; the split of a boosted budget ` +
        `needs one above 0 and of at most ε/10, ${epsilon / 10}`,
      { delta, epsilon },
    );
  if (!(stopProbability > 0 && stopProbability < 1))
    throw new InvalidParameter(`stopProbability is ${stopProbability}; it must be between 0 and 1`, {
      stopProbability,
    });
  const cap = Math.ceil(Math.log(2 / delta) / stopProbability);
  return {
    stopProbability,
    cap,
    base: { epsilon: epsilon / 12, delta: (delta / (4 * cap)) ** 2 },
    scoreMultiplier: 12 / epsilon,
  };
}

/** E κ of the number κ of runs: `(1 − (1 − γ)^K)/γ`. */
export const meanRuns = ({ stopProbability, cap }: Stopping): number =>
  -Math.expm1(cap * Math.log1p(-stopProbability)) / stopProbability;

/**
 * Probability that the best run fails: that all κ runs fail, each with probability at most 1/2, or that the
 * noise of some score exceeds `margin` times its scale, `E 2^(−κ) + E κ · e^(−margin)`.
 *
 * @see Ghazi and others, proof of Theorem 6.1. The sum of the 2^(−k) printed there is another, of the same
 * value at γ = 1/2.
 */
export function boostingFailure(stopping: Stopping, margin: number): number {
  return allFail(stopping) + meanRuns(stopping) * Math.exp(-margin);
}

/**
 * How many scales of its noise a score may be off, such that the best run fails with probability at most
 * `failure`; `null` where all runs fail more often than that.
 */
export function scoreMargin(stopping: Stopping, failure: number): number | null {
  const left = failure - allFail(stopping);
  return left > 0 ? Math.max(0, Math.log(meanRuns(stopping) / left)) : null;
}

/** `E 2^(−κ)`: with z = (1 − γ)/2, `(γ/2)(1 − z^K)/(1 − z) + z^K`. */
function allFail({ stopProbability, cap }: Stopping): number {
  const z = (1 - stopProbability) / 2;
  return ((stopProbability / 2) * (1 - z ** cap)) / (1 - z) + z ** cap;
}
