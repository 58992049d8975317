import { divideUp, log1pUp, logDown, multiplyUp } from '@lethe/numerics';
import { negativeBinomialTerms, type NegativeBinomialRuns } from './negative-binomial-terms.js';
import type { Runs } from './runs.js';

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
export function negativeBinomialRuns(runs: NegativeBinomialRuns): Runs {
  const { shape, logStop, logUnit, error, logMean } = negativeBinomialTerms(runs);
  const γ = runs.stopProbability;
  const logG = (x: number, s: number): number => {
    const g = γ + (1 - γ) * s;
    return g > 0.5 ? Math.log1p(-(1 - γ) * x) : Math.log(g);
  };
  /** `(1 − g^−η)/η`, which is `log g` at `η = 0`. */
  const lost = (log: number): number => (shape === 0 ? log : -Math.expm1(-shape * log) / shape);
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
    worstRatio(epsilon) {
      // (γ + e^ε)/(1 + γe^ε) − 1, with numerator and denominator divided by e^ε.
      const ratio = divideUp(-Math.expm1(-epsilon) * (1 - γ), Math.exp(-epsilon) + γ) * (1 + 2 ** -46);
      const log = Math.min(-logDown(γ), ratio < Infinity ? log1pUp(ratio) : Infinity);
      return multiplyUp(log, multiplyUp(1 + shape, 1 + 2 ** -50));
    },
  };
}
