import { addUp, divideUp } from '@lethe/numerics';

/** Relative error bound of each elementary function and operation: sixteen half-ulps. */
const grain = 2 ** -49;

/**
 * Upper bound of `sum / beta`, at least 0. `sum` was computed from terms whose absolute values sum to
 * `sizes`, each with an error of a few units in the last place.
 */
export function divergenceUp(sum: number, sizes: number, beta: number): number {
  if (sum === Infinity) return Infinity;
  return Math.max(0, divideUp(addUp(sum, grain * sizes), beta));
}
