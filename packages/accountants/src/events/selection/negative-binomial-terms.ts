import { addUp } from '@lethe/numerics';

/** Closer to 0, the law is that of shape 0, and differences of powers underflow. */
export const leastShape = 2 ** -200;

/** A negative binomial variable that is not 0. */
export interface NegativeBinomialRuns {
  /** η, above −1. */
  readonly shape: number;
  /** γ, in (0, 1). */
  readonly stopProbability: number;
}

/** What the law of a negative binomial number of runs is computed from. */
export function negativeBinomialTerms({ shape: given, stopProbability: γ }: NegativeBinomialRuns): {
  /** η, or 0 for one closest to it. */
  readonly shape: number;
  /** `log γ`. */
  readonly logStop: number;
  /** `log f′(x) + (η + 1) log g`. */
  readonly logUnit: number;
  /** Bound of the relative error of powers of `g`. */
  readonly error: number;
  /** `log E K`, rounded up. */
  readonly logMean: number;
} {
  const shape = Math.abs(given) < leastShape ? 0 : given;
  const logStop = Math.log(γ);
  // f′(x) = (1 − γ) g^(−η−1) η/(γ^−η − 1), in logarithms.
  const logUnit = Math.log1p(-γ) - logOfLost(shape, logStop);
  const error = (2 + 2 * (1 + Math.abs(shape)) * (1 - logStop)) * 2 ** -46;
  return { shape, logStop, logUnit, error, logMean: addUp(logUnit - (1 + shape) * logStop, error) };
}

/** `log((γ^−η − 1)/η)`, or `log(−log γ)` at `η = 0`. */
function logOfLost(shape: number, logStop: number): number {
  if (shape === 0) return Math.log(-logStop);
  const power = -shape * logStop;
  return power > 40
    ? power + Math.log1p(-Math.exp(-power)) - Math.log(shape)
    : Math.log(Math.expm1(power) / shape);
}
