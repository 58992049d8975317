import { bisectUp } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';

/**
 * How well an output `A` can know signs `ν` that are uniform over `{−1, 1}^d`, as an alignment `u` in [0, 1]: `E‖E[ν | A]‖² ≤ u² d`. Both
 * risks of this package follow from it. A unit vector `w` of `A` has `E⟨w, ν⟩ ≤ E‖E[ν | A]‖ ≤ u√d`, so a linear loss with mean record `m`
 * along `ν` costs at least `D‖m‖(1 − u)` over a ball of radius `D`; and nothing that is computed from `A` is nearer to `m` than
 * `‖m‖²(1 − u²)` in mean square.
 */
export type Alignment = number;

/**
 * What `n` coins with heads `(1 + bias·ν_j)/2` tell of their sign, the optimal test included: `u² = 1 − (1 − bias²)^n`.
 *
 * The posterior `π` has `E √(4π(1 − π)) = ∫√(P₊ P₋) = (1 − bias²)^(n/2)`, and `1 − E[ν_j | X]² = 4π(1 − π)`, whose mean is at least the square of that.
 *
 * @param bias - in [0, 1].
 */
export const alignmentOfBernoulli = ({ n, bias }: { readonly n: number; readonly bias: number }): Alignment => Math.sqrt(-Math.expm1(n * Math.log1p(-bias * bias)));

/**
 * What so many nats of information for each sign allow: the `u` with `½(1 + u)ln(1 + u) + ½(1 − u)ln(1 − u) = information`, 1 from `ln 2` on.
 *
 * Signs are independent, so `I(ν; A) ≥ Σ_j I(ν_j; A)`; each is the mean of the left side at `|E[ν_j | A]|`, which is convex in the square
 * of `u` (its derivative there, `artanh(u)/(2u)`, grows): so the left side at the root mean square is at most `I(ν; A)/d`.
 *
 * @param information - `I(ν; A)/d` or a bound on it, at least 0.
 * @throws {InvalidParameter} for a negative number or NaN.
 */
export function alignmentOfInformation(information: number): Alignment {
  if (!(information >= 0)) throw new InvalidParameter(`information is ${information}; it must be 0 or more, in nats for each sign`, { information });
  if (information >= Math.LN2) return 1;
  // Informations a rounding apart must not change places, so the equation is solved for the ratio of both sides.
  return information === 0 ? 0 : Math.min(1, bisectUp((u) => informationAt(u) / information - 1, 0, 1));
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
 * What any ρ-zCDP output of `n` records tells of `ν` when each record is a public null but for a chance `p`: at most
 * `ρ(np(1 − p) + (np)²)` nats, whatever the dimension; here for each of `d` signs.
 *
 * With `H` of the records not null, `ρ-zCDP` is `H²ρ-zCDP` for the group of them, so `A(X)` is within `ρH²` of `A` on null records in
 * Kullback–Leibler divergence; this is convex, so `I(ν; A) ≤ ρ E H²`, and `H` is binomial.
 */
export const informationOfHeavyTails = ({ n, dimension, rho, probability: p }: { readonly n: number; readonly dimension: number; readonly rho: number; readonly probability: number }): number =>
  (rho * (n * p * (1 - p) + (n * p) ** 2)) / dimension;
