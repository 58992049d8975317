import { addUp, divideUp } from '@lethe/numerics';

/** Error granted to each elementary function and operation here, in units of the terms: sixteen half-steps. */
const grain = 2 ** -49;

/**
 * An upper bound of `sum / beta`, where `sum` was computed from terms whose sizes add up to `sizes`, each within a few units
 * in the last place. Never below 0, as no divergence is.
 */
export function divergenceUp(sum: number, sizes: number, beta: number): number {
  if (sum === Infinity) return Infinity;
  return Math.max(0, divideUp(addUp(sum, grain * sizes), beta));
}
