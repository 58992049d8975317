import { requireCounts, requireNonNegative, requirePositive } from '../../common/require.js';
import { assertContracts } from '../regularised-subgradient.js';

/**
 * A run of Algorithm 3, and what is known of its oracle. Moments and errors may be root mean squares over
 * data sets: then so is the distance that is bounded.
 */
export interface SubgradientRun {
  readonly rounds: number;
  /** `η ≤ 2/λ`. */
  readonly stepSize: number;
  /** `λ > 0`. */
  readonly strength: number;
  /** `‖w_0 − ŵ‖`. */
  readonly startDistance: number;
  /**
   * The most that an iterate is away from the centre of the regulariser, such as the diameter of the domain.
   */
  readonly diameter: number;
  /** `r̂_n`, at least `(1/n) Σ ‖∇f(w; x_i)‖` at every point. */
  readonly moment: number;
  /** `E‖N_t‖²`: `dσ²` for Gaussian noise. */
  readonly noiseVariance: number;
  /** `B`: at least the length of the mean of clipped less the mean of whole subgradients. */
  readonly bias: number;
}

/**
 * Bound on `E‖w_T − ŵ‖²`, with `ŵ` the minimiser over the domain of the average loss plus
 * `(λ/2)‖w − centre‖²`.
 *
 * - `printed`: `exp(−ληT/2) R² + (8η/λ)(r̂² + λ²D² + dσ²) + 20 B²/λ²`, Lemma 14.
 * - `sharp`: `ρ^T R² + max(η/λ, η²)((r̂ + min(λD, s))² + dσ²) + max(1, λη) B²/λ²` with `ρ = max(0, 1 − λη)`
 *   and `s² = r̂² + dσ²`. Strong convexity takes `2λη` off the squared distance, half of which pays for the
 *   bias; clipped means are no longer than `r̂`, their noise has mean zero; and, for `λη ≤ 1`, the projected
 *   walk stays within `s/λ` of its centre in root mean square if it starts there.
 *
 * @throws {InvalidParameter} for numbers outside their domains, and a step size above `2/λ`.
 * @see Lowy and Razaviyayn, Lemma 14 (37), Eq. 51.
 */
export function subgradientDistanceBound(run: SubgradientRun, form: 'printed' | 'sharp' = 'printed'): number {
  const { rounds, stepSize: eta, strength, startDistance, diameter, moment, noiseVariance, bias } = run;
  requireCounts({ rounds });
  requirePositive({ strength });
  requireNonNegative({ startDistance, moment, noiseVariance, bias });
  if (!(form === 'sharp' && diameter === Infinity)) requireNonNegative({ diameter });
  assertContracts(eta, strength);
  const product = strength * eta;
  if (form === 'printed') {
    return (
      Math.exp((-product * rounds) / 2) * startDistance ** 2 +
      ((8 * eta) / strength) * (moment ** 2 + (strength * diameter) ** 2 + noiseVariance) +
      20 * (bias / strength) ** 2
    );
  }
  const walked = product <= 1 ? Math.sqrt(moment ** 2 + noiseVariance) : Infinity;
  const pull = Math.min(strength * diameter, walked);
  const remaining = product < 1 ? Math.exp(rounds * Math.log1p(-product)) : 0;
  return (
    remaining * startDistance ** 2 +
    Math.max(eta / strength, eta ** 2) * ((moment + pull) ** 2 + noiseVariance) +
    Math.max(1, product) * (bias / strength) ** 2
  );
}
