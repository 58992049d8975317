/**
 * `mass · e^exponent` for a mass in [0, 1]. Neither the exponential nor the product need be in the range of
 * doubles.
 */
export function timesExp(mass: number, exponent: number): number {
  if (mass === 0) return 0;
  return exponent < 690 && exponent > -690 ? mass * Math.exp(exponent) : Math.exp(Math.log(mass) + exponent);
}

/** Largest magnitude among losses in ascending order. */
export const largestLoss = (losses: Float64Array): number =>
  Math.max(Math.abs(losses[0]), Math.abs(losses[losses.length - 1]));
