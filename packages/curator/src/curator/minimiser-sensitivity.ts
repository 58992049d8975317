import type { Sensitivity } from '@lethe/core';
import { addUp, divideUp, multiplyDown, multiplyUp, sqrtUp } from '@lethe/numerics';

/** What the minimiser of `F + (λ/2)‖x − centre‖²` depends on, `F` the average of convex losses. */
export interface MinimiserConstants {
  /** `λ > 0`. */
  readonly lambda: number;
  /** `L`: Lipschitz constant in ℓ2 of every record's loss. */
  readonly lipschitz: number;
  /** `H`: Lipschitz constant in ℓ2 of every record's gradient. */
  readonly smoothness: number;
  /** `s`: entries that differ from zero in every gradient of every record; only the ℓ1 norm needs it. */
  readonly sparsity: number;
  readonly dimension: number;
}

/** A minimiser, as it is released. */
export interface ReleasedMinimiser extends MinimiserConstants {
  /** In which the sensitivity is: ℓ1, on the whole space only, or ℓ2. */
  readonly norm: 1 | 2;
  /** `n`: by which the sum of losses is divided; no fewer than the records. */
  readonly records: number;
  /** ℓ2 distance of the released point from the minimiser, at most, on every data set. */
  readonly tolerance: number;
}

/**
 * How far the released point moves between neighbours, rounded up.
 *
 * A record that becomes null moves the minimiser by `L/(λn)` in ℓ2. On the whole space `λ(x − x′)` is the
 * difference of the average gradients: each of the others contributes a vector of at most `2s` entries and of
 * length `H·L/(λn)`, the record itself one of `s` entries and length `L`, so that the ℓ1 norm is at most
 * `(√s·L + √(2s)·H·L/λ)/(λn)`. A tolerance `ρ` adds `2ρ` in ℓ2 and `2√d·ρ` in ℓ1. A replaced record moves the
 * point twice as far, by way of the null record; so ratios of adjacencies are exact.
 *
 * @see Ghazi, Guzmán, Kamath, Kumar and Manurangsi 2024, Theorem 7.1, whose ℓ1 constant is at most twice
 * this.
 */
export function minimiserSensitivity({
  lambda,
  lipschitz,
  smoothness,
  sparsity,
  dimension,
  norm,
  records,
  tolerance,
}: ReleasedMinimiser): Sensitivity {
  const own = norm === 1 ? sqrtUp(Math.min(sparsity, dimension)) : 1;
  const others =
    norm === 1 ? divideUp(multiplyUp(sqrtUp(Math.min(2 * sparsity, dimension)), smoothness), lambda) : 0;
  const moved = divideUp(multiplyUp(lipschitz, addUp(own, others)), multiplyDown(lambda, records));
  const error = multiplyUp(2 * tolerance, norm === 1 ? sqrtUp(dimension) : 1);
  const one = addUp(moved, error);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/**
 * The least tolerance that doubles resolve: below it rounding, not the solver, decides the point, and a far
 * centre could magnify one record.
 *
 * @param centreNorm - `‖centre‖₂`.
 */
export const finestTolerance = (
  { lambda, lipschitz, smoothness, dimension }: Omit<MinimiserConstants, 'sparsity'>,
  centreNorm: number,
): number => 2 ** -44 * Math.sqrt(dimension) * (centreNorm + lipschitz / lambda) * (1 + smoothness / lambda);
