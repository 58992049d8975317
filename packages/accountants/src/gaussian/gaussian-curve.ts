import { type Bounds, findRoot, normalQuantileOfLog } from '@lethe/numerics';
import { gaussianHockeyStick } from '../events/pairs/gaussian.js';

/** Bounds of `δ(ε)` of `μ`-Gaussian privacy, for `ε ≥ 0`. @see Balle, Wang 2018, Theorem 8. */
export function gaussianDelta(mu: number, epsilon: number): Bounds {
  if (mu === 0 || epsilon === Infinity) return { lower: 0, upper: 0 };
  return mu === Infinity ? { lower: 1, upper: 1 } : gaussianHockeyStick(mu, epsilon);
}

/** Smallest ε, rounded up, such that `mu`-Gaussian privacy implies (ε, δ)-DP. */
export function gaussianEpsilonUpper(mu: number, delta: number): number {
  const bound = (epsilon: number): number => gaussianDelta(mu, epsilon).upper;
  return edge(mu, delta, bound, (value) => value <= delta)[1];
}

/** The same, rounded down: below it δ(ε) of the Gaussian pair exceeds δ. */
export function gaussianEpsilonLower(mu: number, delta: number): number {
  const bound = (epsilon: number): number => gaussianDelta(mu, epsilon).lower;
  return edge(mu, delta, bound, (value) => value < delta)[0];
}

/** Adjacent ε: the bound of δ is too large at the first and met at the second. */
function edge(
  mu: number,
  delta: number,
  bound: (epsilon: number) => number,
  met: (value: number) => boolean,
): readonly [number, number] {
  if (mu === 0 || delta >= 1) return [0, 0];
  if (delta === 0 || mu === Infinity) return [Infinity, Infinity];
  if (met(bound(0))) return [0, 0];
  // Φ(−x) ≥ δ(ε), so the quantile of δ is above the root, up to rounding.
  let high = Math.max(Number.MIN_VALUE, mu * (mu / 2 - normalQuantileOfLog(Math.log(delta))));
  let low = 0;
  // Where rounding leaves no finite ε, as for the least δ, the search must end soon.
  for (let growth = 1.0625; high === Infinity || !met(bound(high)); growth *= growth) {
    if (high === Infinity) return [low, Infinity];
    low = high;
    high = Math.max(high * growth, 2 * Number.MIN_VALUE);
  }
  const { lower, upper } = findRoot(
    (epsilon) => {
      const value = bound(epsilon);
      const size = Math.min(1000, Math.max(2 ** -60, Math.abs(Math.log(value / delta))));
      return met(value) ? -size : size;
    },
    low,
    high,
  );
  return [lower, upper];
}
