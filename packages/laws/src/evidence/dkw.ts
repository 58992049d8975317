import { InvalidParameter } from '@lethe/core';
import { nextDown } from '@lethe/numerics';
import { requireCount } from './require.js';
import { logThreshold } from './wealth.js';

/**
 * The distance between the empirical distribution function of `count` independent draws and the true one that
 * is not exceeded anywhere, except with probability `alpha`: `√(ln(2/alpha)/(2 count))`, for any
 * distribution.
 *
 * @see Massart, The tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality (1990), Corollary 1.
 */
export function dkwDistance(count: number, alpha: number): number {
  requireCount('count', count, 1);
  return Math.sqrt((Math.LN2 + logThreshold(alpha)) / (2 * count));
}

/**
 * `sup |F_n(x) − cdf(x)|` over all `x`, also for distributions with atoms.
 *
 * @param sorted - Draws, in increasing order.
 * @param cdf - `P(X ≤ x)`.
 * @throws {InvalidParameter} for no draws, unsorted draws, or NaN.
 */
export function kolmogorovDistance(sorted: ArrayLike<number>, cdf: (x: number) => number): number {
  const n = requireCount('the number of draws', sorted.length, 1);
  let distance = 0;
  for (let i = 0; i < n; i++) {
    if (!(sorted[i] >= (i === 0 ? -Infinity : sorted[i - 1])))
      throw new InvalidParameter(`draw ${i} is ${sorted[i]}; sort the draws first, numbers only`, {
        i,
        value: sorted[i],
      });
    if (i === 0 || sorted[i] !== sorted[i - 1])
      distance = Math.max(distance, Math.abs(i / n - cdf(nextDown(sorted[i]))));
    if (i === n - 1 || sorted[i] !== sorted[i + 1])
      distance = Math.max(distance, Math.abs((i + 1) / n - cdf(sorted[i])));
  }
  if (distance === distance) return distance;
  throw new InvalidParameter('the distribution function is NaN at a draw; it must be a probability', {});
}
