import { InvalidParameter } from '@lethe/core';
import { requireCounts, requireNonNegative, requirePositive } from '../../common/require.js';
import type { LocalizedPhase } from './phases.js';
import { subgradientDistanceBound } from '../schedules/subgradient-distance.js';

/** What the bound on the excess risk of a localized run depends on, besides its phases. Moments are roots. */
export interface LocalizedRun {
  /**
   * In order; of several runs, each from the result of the one before, for a strongly convex wrapper.
   * `samplingRate` is that of Poisson draws within a phase. @defaultValue 1
   */
  readonly phases: readonly (LocalizedPhase & { readonly samplingRate?: number })[];
  readonly dimension: number;
  /** Bound on the root mean square distance from the start to the minimiser `w*`. */
  readonly distance: number;
  /** Diameter of the set in which iterates stay; may be `Infinity`. */
  readonly extent: number;
  /** `L = sup ‖∇F‖`, or `r_k`. */
  readonly lipschitz: number;
  /** `r_2 = sup_w (E‖∇f(w, x)‖²)^½`. */
  readonly secondMoment: number;
  /** `r̃_2 = (E sup_w ‖∇f(w, x)‖²)^½`. */
  readonly uniformSecondMoment: number;
}

/**
 * Bound on `E F(w_l) − F*` for convex losses, at the integers really used.
 *
 * With `ŵ_i` the minimiser over `W_i = W ∩ B(w_{i−1}, D_i)` of phase `i`’s regularised empirical risk and
 * `ŵ_0 = w*`, the excess is that of the sum `Σ_i F(ŵ_i) − F(ŵ_{i−1})` and of
 * `F(w_l) − F(ŵ_l) ≤ L‖w_l − ŵ_l‖`. Each summand is at most `2r_2²/(λ_i n_i) + (λ_i/2) V_{i−1}` by
 * Proposition 40 at the point of `W_i` nearest to `ŵ_{i−1}`, and `L E(‖w_{i−1} − ŵ_{i−1}‖ − D_i)₊` for the
 * way there, which is at most `L V_{i−1}/(4D_i)`, `L√V_{i−1}`, and nothing where the ball covers `W`.
 * `V_i ≥ E‖w_i − ŵ_i‖²` is from {@link subgradientDistanceBound} in its sharp form, `V_0` the square of
 * `distance`. So no event has to hold with high probability, as it has to in the paper.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Lowy and Razaviyayn, Theorem 41, Lemma 14, Proposition 40.
 */
export function localizedExcessRisk(run: LocalizedRun): number {
  const { phases, dimension, distance, extent, lipschitz, secondMoment, uniformSecondMoment } = run;
  requireCounts({ dimension });
  requireNonNegative({ distance });
  requirePositive({ lipschitz, secondMoment, uniformSecondMoment });
  if (!(extent > 0))
    throw new InvalidParameter(`extent is ${extent}; it must be positive, Infinity for an unbounded domain`, {
      extent,
    });
  if (phases.length === 0) throw new InvalidParameter('there is no phase; give at least one', { phases: 0 });
  let squared = Math.min(distance, extent) ** 2;
  let risk = 0;
  for (const {
    records,
    stepSize,
    strength,
    radius,
    rounds,
    clipNorm,
    noise,
    bias,
    samplingRate = 1,
  } of phases) {
    const root = Math.sqrt(squared);
    const beyond = radius >= extent ? 0 : Math.min(squared / (4 * radius), root, extent - radius);
    risk += (2 * secondMoment ** 2) / (strength * records) + (strength / 2) * squared + lipschitz * beyond;
    const longest = Math.min(clipNorm, uniformSecondMoment);
    const sampled = ((1 - samplingRate) / (samplingRate * records)) * longest ** 2;
    const reach = Math.min(radius, extent);
    const moved = subgradientDistanceBound(
      {
        rounds,
        stepSize,
        strength,
        startDistance: Math.min(reach, uniformSecondMoment / strength),
        diameter: reach,
        moment: longest,
        noiseVariance: dimension * noise ** 2 + sampled,
        bias,
      },
      'sharp',
    );
    squared = Math.min(moved, reach ** 2);
  }
  return risk + lipschitz * Math.sqrt(squared);
}
