/**
 * `log((1 + u)^α − 1 − α·u)`: the gap between the power and its tangent, for `α = 1 + beta > 1`. `-Infinity`
 * at `u = 0`.
 *
 * Its expectation under the denominator's distribution is `E[ratio^α] − 1`, without cancellation. The
 * relative error of the gap is below 2^-45, in addition to the effect of errors of `u` and `logRatio`.
 *
 * @param u - A likelihood ratio minus 1, at least −1.
 * @param logRatio - `log(1 + u)`; may be so large that `u` is `Infinity`.
 */
export function logPowerGap(beta: number, u: number, logRatio: number): number {
  if (u === 0) return -Infinity;
  const alpha = 1 + beta;
  if (Math.abs(u) <= 0.1 && alpha * Math.abs(u) <= 0.5) return logSeries(alpha, beta, u);
  if (alpha * logRatio > 40) {
    const lost =
      -Math.expm1(-beta * logRatio) - beta * Math.exp(-beta * logRatio) + beta * Math.exp(-alpha * logRatio);
    return alpha * logRatio + Math.log(lost);
  }
  return Math.log(Math.exp(logRatio) * Math.expm1(beta * logRatio) - beta * u);
}

/** Binomial series from the second power; successive terms shrink at least by half. */
function logSeries(alpha: number, beta: number, u: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 3; k < 80 && Math.abs(term) > 1e-18; k++) {
    term *= ((alpha - k + 1) / k) * u;
    sum += term;
  }
  return Math.log((alpha * beta) / 2) + 2 * Math.log(Math.abs(u)) + Math.log(sum);
}
