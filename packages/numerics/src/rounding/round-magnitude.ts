import { nextDown, nextUp, scaleByPowerOfTwo } from './neighbours.js';

const smallestNormal = 2 ** -1022;

/**
 * A bound on `(p + error) · 2^exponent`, above it if `up`, else
 * below it; at most one step beyond the nearest double.
 *
 * @param p - In [0.25, 4].
 * @param error - At most one unit in the last place of `p`, of either sign.
 */
export function roundMagnitude(p: number, error: number, exponent: number, up: boolean): number {
  const rounded = scaleByPowerOfTwo(p, exponent);
  if (rounded === Infinity) return up ? Infinity : Number.MAX_VALUE;
  // Scaling into the subnormal range rounds; the difference
  // below is then exact, a multiple of p's last place.
  const kept = rounded > 2 * smallestNormal ? p : scaleByPowerOfTwo(rounded, -exponent);
  const rest = p - kept + error;
  if (up) return rest > 0 ? nextUp(rounded) : rounded;
  return rest < 0 ? nextDown(rounded) : rounded;
}

/** The signed form of {@link roundMagnitude}: bounds `sign · (p + error) · 2^exponent`. */
export function roundSigned(
  negative: boolean,
  p: number,
  error: number,
  exponent: number,
  up: boolean,
): number {
  return negative ? -roundMagnitude(p, error, exponent, !up) : roundMagnitude(p, error, exponent, up);
}
