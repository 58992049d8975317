import { nextDown, nextUp } from '../rounding/index.js';
import { type Bounds, boundsAround } from '../search/bounds.js';
import { logNormalCdf, normalCdf } from './normal.js';
import { normalQuantile } from './normal-quantile.js';

/**
 * Relative error bound for {@link normalCdf} and {@link logNormalCdf}: more than four times the measured
 * error, which allows for platforms with errors of four units in the last place in `Math.exp` and `Math.log`.
 */
const relativeError = 3e-15;

/**
 * Bounds of `Φ(x)` within [0, 1].
 *
 * @throws {InvalidParameter} on NaN.
 */
export function normalCdfBounds(x: number): Bounds {
  if (x === Infinity) return { lower: 1, upper: 1 };
  if (x === -Infinity) return { lower: 0, upper: 0 };
  const { lower, upper } = boundsAround(normalCdf(x), relativeError);
  return { lower: Math.max(0, lower), upper: Math.min(1, upper) };
}

/**
 * Bounds of `log Φ(x)`, at most 0.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function logNormalCdfBounds(x: number): Bounds {
  if (x === Infinity) return { lower: 0, upper: 0 };
  if (x === -Infinity) return { lower: -Infinity, upper: -Infinity };
  const { lower, upper } = boundsAround(logNormalCdf(x), relativeError);
  return { lower, upper: Math.min(0, upper) };
}

/** Moves `x` outwards by growing steps until `holds`; the steps double from one unit in the last place. */
function moveUntil(x: number, direction: 1 | -1, holds: (x: number) => boolean): number {
  let candidate = x;
  let step = Math.max(2 ** -60, nextUp(Math.abs(x)) - Math.abs(x));
  while (!holds(candidate)) {
    const moved = candidate + direction * step;
    if (moved === candidate) {
      if (direction > 0) candidate = nextUp(candidate);
      else candidate = nextDown(candidate);
    } else candidate = moved;
    step *= 2;
    if (Math.abs(candidate) > 40) return direction * Infinity;
  }
  return candidate;
}

/**
 * Bounds of `Φ^-1(p)`: `Φ(lower) ≤ p ≤ Φ(upper)` is verified with {@link normalCdfBounds} before they are
 * returned. In the upper half the reflected tail is used, so that nothing is lost near `p = 1`.
 *
 * @throws {InvalidParameter} unless `0 ≤ p ≤ 1`.
 */
export function normalQuantileBounds(p: number): Bounds {
  if (p > 0.5 && p <= 1) {
    const { lower, upper } = normalQuantileBounds(1 - p);
    return { lower: -upper, upper: -lower };
  }
  const estimate = normalQuantile(p);
  if (!Number.isFinite(estimate)) return { lower: estimate, upper: estimate };
  return {
    lower: moveUntil(estimate, -1, (x) => normalCdfBounds(x).upper <= p),
    upper: moveUntil(estimate, 1, (x) => normalCdfBounds(x).lower >= p),
  };
}
