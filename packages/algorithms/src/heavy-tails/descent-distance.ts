import { InvalidParameter } from '@lethe/core';
import { requireCounts, requireNonNegative, requirePositive } from '../common/require.js';

/**
 * Gradient descent `w ← Π(w − g/(μ + β))` on a μ-strongly convex, β-smooth risk, with gradients `g` that are
 * off.
 */
export interface DescentRun {
  /** `μ`; the published `λ`. */
  readonly convexity: number;
  /** `β ≥ μ`; the published `L`. */
  readonly smoothness: number;
  readonly rounds: number;
  /** `‖w_0 − w*‖`, or its root mean square. */
  readonly startDistance: number;
  /** `G ≥ (E‖g − ∇F(w)‖²)^½` in every round, given the rounds before. */
  readonly error: number;
}

/**
 * By how much one exact step shrinks the distance to the minimiser: `1 − μβ/(μ + β)²` as published,
 * `β/(μ + β)` in truth, which is never more.
 *
 * @see Lowy and Razaviyayn, Eq. 7, after Wang et al. 2020 and Kamath, Liu and Zhang 2022.
 */
export function descentContraction(
  { convexity, smoothness }: Pick<DescentRun, 'convexity' | 'smoothness'>,
  form: 'printed' | 'sharp' = 'sharp',
): number {
  requirePositive({ convexity, smoothness });
  if (smoothness < convexity)
    throw new InvalidParameter(
      `smoothness ${smoothness} is below the strong convexity ${convexity}; no function is like that`,
      { smoothness, convexity },
    );
  const share = smoothness / (convexity + smoothness);
  return form === 'printed' ? 1 - share * (convexity / (convexity + smoothness)) : share;
}

/**
 * Bound on the root mean square of `‖w_T − w*‖`:
 * `q^T R + (G/(μ + β)) (1 − q^T)/(1 − q)` with `q` from {@link descentContraction}.
 *
 * Each step shrinks the distance by `q` and adds at most `‖g − ∇F‖/(μ + β)`, and so do root mean squares, by
 * Minkowski’s inequality. The published analysis bounds the mean distance and squares it, which bounds
 * nothing: the mean square is not less than that. In the sharp form what errors leave is at most `G/μ`.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Lowy and Razaviyayn, Appendix C.
 */
export function descentDistanceBound(run: DescentRun, form: 'printed' | 'sharp' = 'sharp'): number {
  const { convexity, smoothness, rounds, startDistance, error } = run;
  const contraction = descentContraction(run, form);
  requireCounts({ rounds });
  requireNonNegative({ startDistance, error });
  const left = contraction ** rounds;
  // A contraction that rounds to 1 leaves all errors.
  return (
    left * startDistance +
    (error / (convexity + smoothness)) * (contraction === 1 ? rounds : (1 - left) / (1 - contraction))
  );
}
