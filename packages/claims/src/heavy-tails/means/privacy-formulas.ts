/* Formulas of the paper for the privacy cost of noise. */

/** `D_α` between `N(0, variance)` and `N(shift, variance)`. */
export const shiftedRenyi = ({
  alpha,
  shift,
  variance,
}: {
  readonly alpha: number;
  readonly shift: number;
  readonly variance: number;
}): number => (alpha * shift ** 2) / (2 * variance);

/** Proposition 3: `ρ + 2√(ρ ln(1/δ))`. */
export const concentratedEpsilon = ({
  rho,
  delta,
}: {
  readonly rho: number;
  readonly delta: number;
}): number => rho + 2 * Math.sqrt(rho * -Math.log(delta));

/** Corollary of Proposition 3: `2ε√ln(1/δ)` for `ρ = ε²/2`. */
export const shortEpsilon = ({
  epsilon,
  delta,
}: {
  readonly epsilon: number;
  readonly delta: number;
}): number => 2 * epsilon * Math.sqrt(-Math.log(delta));

/** Stated domain of the corollary: `ε ≤ √ln(1/δ)`. */
export const shortEpsilonHolds = ({
  epsilon,
  delta,
}: {
  readonly epsilon: number;
  readonly delta: number;
}): boolean => epsilon <= Math.sqrt(-Math.log(delta));

/** ρ for groups of records that differ together. */
export const groupRho = (rho: number, size: number): number => size ** 2 * rho;
