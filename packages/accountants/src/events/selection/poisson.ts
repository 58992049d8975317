import { addUp, multiplyUp } from '@lethe/numerics';
import type { Runs } from './runs.js';

/**
 * A Poisson variable of mean μ, conditioned on not being 0: `f(x) = (e^(μx) − 1)/(e^μ − 1)`, and
 * `log f′(a)/f′(b) = μ(a − b)`. Over an ε-private base the largest `a − b` is the total variation of
 * randomised response, `tanh(ε/2)`, and some base attains it.
 */
export function poissonRuns(mean: number): Runs {
  const none = -Math.expm1(-mean);
  const error = (4 + mean) * 2 ** -48;
  const logMean = Math.log(mean / none);
  return {
    logSlope: (s) => logMean - mean * s,
    slopeError: error,
    all: (x, s) => (Math.exp(-mean * s) * -Math.expm1(-mean * x)) / none,
    allError: error,
    logMean: addUp(logMean, (1 + Math.abs(logMean)) * 2 ** -48),
    worstRatio: (epsilon) =>
      multiplyUp(mean, (-Math.expm1(-epsilon) / (1 + Math.exp(-epsilon))) * (1 + 2 ** -48)),
    exponent: mean,
  };
}
