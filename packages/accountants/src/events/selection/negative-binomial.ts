import { addUp, divideUp, expUp, log1pUp, logDown, multiplyUp } from '@lethe/numerics';
import type { Runs } from './runs.js';

/** Closer to 0, the law is that of shape 0, and differences of powers underflow. */
export const leastShape = 2 ** -200;

/** A negative binomial variable that is not 0. */
export interface NegativeBinomialRuns {
  /** η, above −1. */
  readonly shape: number;
  /** γ, in (0, 1). */
  readonly stopProbability: number;
}

/**
 * The negative binomial law of K, conditioned on not being 0. With `g = 1 − (1 − γ)x = γ + (1 − γ)s`,
 * `f(x) = (g^−η − 1)/(γ^−η − 1)`, or `log g/log γ` at `η = 0`, and `f′(x)` is proportional to `g^(−η−1)`.
 *
 * So the worst ratio is that of `g` at two tails `s ≤ t`, to the power `1 + η`. For an ε-private base
 * `t ≤ e^ε s` and `1 − s ≤ e^ε (1 − t)`. Where the first is the stricter, `g(e^ε s)/g(s)` increases with s;
 * where the second is, the ratio decreases. They meet at `s = 1/(1 + e^ε)`, which gives
 * `(γ + e^ε)/(1 + γ e^ε)`, and some base attains it: two outputs by randomised response, of which the worse
 * is divided at random.
 */
export function negativeBinomialRuns({ shape: given, stopProbability: γ }: NegativeBinomialRuns): Runs {
  const shape = Math.abs(given) < leastShape ? 0 : given;
  const logStop = Math.log(γ);
  const logG = (x: number, s: number): number => {
    const g = γ + (1 - γ) * s;
    return g > 0.5 ? Math.log1p(-(1 - γ) * x) : Math.log(g);
  };
  /** `(1 − g^−η)/η`, which is `log g` at `η = 0`. */
  const lost = (log: number): number => (shape === 0 ? log : -Math.expm1(-shape * log) / shape);
  // f′(x) = (1 − γ) g^(−η−1)/−lost(log γ), in logarithms.
  const logUnit = Math.log1p(-γ) - logOfLost(shape, logStop);
  const error = (2 + 2 * (1 + Math.abs(shape)) * (1 - logStop)) * 2 ** -46;
  const logMean = addUp(logUnit - (1 + shape) * logStop, error);
  return {
    logSlope: (s, x = 1 - s) => logUnit - (1 + shape) * logG(x, s),
    slopeError: error,
    all(x, s) {
      if (x === 0) return 0;
      const log = logG(x, s);
      // Powers of γ leave the range of doubles before their ratio does.
      return shape > 0
        ? (Math.exp(shape * (logStop - log)) * Math.expm1(shape * log)) / Math.expm1(shape * logStop)
        : lost(log) / lost(logStop);
    },
    allError: error,
    logMean,
    someFails(delta) {
      if (delta === 0 || delta === 1) return delta;
      // Where products of small numbers underflow, the mean number of failures bounds it.
      if (delta < 2 ** -400) return Math.min(1, multiplyUp(delta, expUp(logMean)));
      // log g/γ at x = 1 − δ.
      const gained = Math.log1p(((1 - γ) / γ) * delta);
      let share: number;
      if (shape === 0) share = gained / -logStop;
      else if (shape > 0) share = Math.expm1(-shape * gained) / Math.expm1(shape * logStop);
      else
        share =
          (Math.exp(-shape * Math.log(γ + (1 - γ) * delta)) * Math.expm1(shape * gained)) /
          Math.expm1(-shape * logStop);
      return Math.min(1, share * (1 + error) + Number.MIN_VALUE);
    },
    worstRatio(epsilon) {
      // (γ + e^ε)/(1 + γe^ε) − 1, with numerator and denominator divided by e^ε.
      const ratio = divideUp(-Math.expm1(-epsilon) * (1 - γ), Math.exp(-epsilon) + γ) * (1 + 2 ** -46);
      const log = Math.min(-logDown(γ), ratio < Infinity ? log1pUp(ratio) : Infinity);
      return multiplyUp(log, multiplyUp(1 + shape, 1 + 2 ** -50));
    },
  };
}

/** `log((γ^−η − 1)/η)`, or `log(−log γ)` at `η = 0`. */
function logOfLost(shape: number, logStop: number): number {
  if (shape === 0) return Math.log(-logStop);
  const power = -shape * logStop;
  return power > 40
    ? power + Math.log1p(-Math.exp(-power)) - Math.log(shape)
    : Math.log(Math.expm1(power) / shape);
}
