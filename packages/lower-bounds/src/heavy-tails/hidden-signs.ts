import { bisectUp } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';

/**
 * Bound on the alignment of an output `A` with signs `ν` uniform over `{−1, 1}^d`: `u` in [0, 1] with
 * `E‖E[ν | A]‖² ≤ u² d`. Both bounds of this package follow from it. A unit vector `w` computed from `A` has
 * `E⟨w, ν⟩ ≤ E‖E[ν | A]‖ ≤ u√d`, so the excess risk of a linear loss with mean record `m` along `ν` is at
 * least `D‖m‖(1 − u)` over a ball of radius `D`; and the mean squared error of any estimate of `m` from `A`
 * is at least `‖m‖²(1 − u²)`.
 */
export type Alignment = number;

/**
 * Alignment bound for `n` coins with heads probability `(1 + bias·ν_j)/2`, also for the optimal test:
 * `u² = 1 − (1 − bias²)^n`.
 *
 * The posterior `π` satisfies `E √(4π(1 − π)) = ∫√(P₊ P₋) = (1 − bias²)^(n/2)`, and
 * `1 − E[ν_j | X]² = 4π(1 − π)`, whose mean is at least the square of that.
 *
 * @param bias - in [0, 1].
 */
export const alignmentOfBernoulli = ({ n, bias }: { readonly n: number; readonly bias: number }): Alignment =>
  Math.sqrt(-Math.expm1(n * Math.log1p(-bias * bias)));

/**
 * Alignment bound from the information per sign, in nats: the `u` with
 * `½(1 + u)ln(1 + u) + ½(1 − u)ln(1 − u) = information`, and 1 from `ln 2` on.
 *
 * Signs are independent, so `I(ν; A) ≥ Σ_j I(ν_j; A)`. Each term is the mean of the left side at
 * `|E[ν_j | A]|`, which is convex in `u²` (its derivative, `artanh(u)/(2u)`, increases). So the left side at
 * the root mean square is at most `I(ν; A)/d`.
 *
 * @param information - `I(ν; A)/d` or a bound on it, at least 0.
 * @throws {InvalidParameter} for a negative number or NaN.
 */
export function alignmentOfInformation(information: number): Alignment {
  if (!(information >= 0))
    throw new InvalidParameter(`information is ${information}; it must be 0 or more, in nats for each sign`, {
      information,
    });
  if (information >= Math.LN2) return 1;
  // Solving for the ratio of both sides keeps the result monotone under rounding.
  return information === 0
    ? 0
    : Math.min(
        1,
        bisectUp((u) => informationAt(u) / information - 1, 0, 1),
      );
}

function informationAt(u: number): number {
  if (u === 1) return Math.LN2;
  if (u > 0.1) return ((1 + u) * Math.log1p(u) + (1 - u) * Math.log1p(-u)) / 2;
  const square = u * u;
  let sum = 0;
  for (let m = 9; m >= 1; m--) sum = sum * square + 1 / (2 * m * (2 * m - 1));
  return sum * square;
}

/**
 * Information per sign about `ν` in a ρ-zCDP output, if each of `n` records is a public null record except
 * with probability `p`: in total at most `ρ(np(1 − p) + (np)²)` nats, in every dimension; divided here by the
 * `d` signs.
 *
 * With `H` non-null records, `ρ-zCDP` is `H²ρ-zCDP` for this group, so the Kullback–Leibler divergence of
 * `A(X)` from `A` on null records is at most `ρH²`. By convexity `I(ν; A) ≤ ρ E H²`, and `H` is binomial.
 * Each step of the group makes a record null, so that ρ-zCDP under zero-out is enough.
 */
export const informationOfHeavyTails = ({
  n,
  dimension,
  rho,
  probability: p,
}: {
  readonly n: number;
  readonly dimension: number;
  readonly rho: number;
  readonly probability: number;
}): number => (rho * (n * p * (1 - p) + (n * p) ** 2)) / dimension;
