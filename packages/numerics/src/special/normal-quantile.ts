import { InvalidParameter } from '../errors.js';
import { erf, erfcx } from './error-function.js';
import { logNormalCdf } from './normal.js';

const sqrtHalfPi = 1.2533141373155001;
const logSqrtTwoPi = 0.9189385332046728;

/** Newton's method; stops when the step is negligible or no longer shrinks, at most 60 steps. */
function newton(start: number, step: (x: number) => number): number {
  let x = start;
  let previous = Infinity;
  for (let count = 0; count < 60; count++) {
    const change = step(x);
    if (Math.abs(change) >= previous && Math.abs(change) < 1e-6 * Math.abs(x)) return x;
    x -= change;
    previous = Math.abs(change);
    if (previous <= 1e-16 * Math.abs(x)) return x;
  }
  return x;
}

/** Solves `Φ(x) = 1/2 + offset` near the median, where the offset is more accurate than the probability. */
function centralQuantile(offset: number): number {
  return newton(
    offset * 2.5066282746310002,
    (x) => (0.5 * erf(x * Math.SQRT1_2) - offset) * Math.exp((x * x) / 2 + logSqrtTwoPi),
  );
}

/**
 * The `x` with `log Φ(x) = logProbability`: the standard normal quantile of a probability that may underflow.
 * Relative error as {@link normalQuantile} where `logProbability` determines it.
 *
 * `log Φ` is concave and increasing, so after its first step
 * Newton's method climbs to the root from the left.
 *
 * @throws {InvalidParameter} unless `logProbability ≤ 0`.
 */
export function normalQuantileOfLog(logProbability: number): number {
  if (!(logProbability <= 0)) {
    throw new InvalidParameter(
      `logProbability is ${logProbability}: give the logarithm of a probability, at most 0`,
      { logProbability },
    );
  }
  if (logProbability === 0) return Infinity;
  if (logProbability === -Infinity) return -Infinity;
  if (logProbability > -0.6) return -normalQuantile(-Math.expm1(logProbability));
  const size = Math.sqrt(-2 * logProbability);
  const start = logProbability > -1 ? 0 : -size + (Math.log(size) + logSqrtTwoPi) / size;
  // The derivative is φ/Φ = √(2/π) / erfcx(−x/√2), without cancellation anywhere.
  return newton(start, (x) => (logNormalCdf(x) - logProbability) * erfcx(-x * Math.SQRT1_2) * sqrtHalfPi);
}

/**
 * The standard normal quantile `Φ^-1(p)`, relative error below 2e-15 (measured: 6e-16); 0 and 1 give the
 * infinities. `normalQuantile(1 − p) = −normalQuantile(p)` exactly where `1 − p` is exact.
 *
 * @throws {InvalidParameter} unless `0 ≤ p ≤ 1`.
 * @see normalQuantileBounds for verified bounds.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new InvalidParameter(`p is ${p}: give a probability between 0 and 1`, { p });
  if (p === 0.5) return 0;
  if (p > 0.5) return -normalQuantile(1 - p);
  return p > 0.1 ? centralQuantile(p - 0.5) : normalQuantileOfLog(Math.log(p));
}
