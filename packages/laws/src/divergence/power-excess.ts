/**
 * `log(r^α − 1 − α(r − 1))` for `α = 1 + beta > 1` and a likelihood ratio `r = e^logRatio`: the excess of the
 * power over its tangent at 1. Its mean under the denominator is the Rényi moment minus 1, without
 * cancellation.
 */
export function logPowerExcess(beta: number, logRatio: number): number {
  const alpha = 1 + beta;
  if (logRatio === 0) return -Infinity;
  if (Math.abs(logRatio) * (alpha + 1) < 0.05) return logSeries(alpha, beta, logRatio);
  if (alpha * logRatio > 30)
    return (
      alpha * logRatio + Math.log(1 - alpha * Math.exp(-beta * logRatio) + beta * Math.exp(-alpha * logRatio))
    );
  return Math.log(
    Math.max(0, Math.exp(logRatio) * Math.expm1(beta * logRatio) - beta * Math.expm1(logRatio)),
  );
}

/** `Σ_{k≥2} (α^k − α) L^k / k!`, whose coefficients do not cancel as α approaches 1. */
function logSeries(alpha: number, beta: number, logRatio: number): number {
  let power = (logRatio * logRatio) / 2;
  let sum = 0;
  for (let k = 2; k < 16; k++) {
    sum += alpha * Math.expm1((k - 1) * Math.log1p(beta)) * power;
    power *= logRatio / (k + 1);
  }
  return Math.log(sum);
}
