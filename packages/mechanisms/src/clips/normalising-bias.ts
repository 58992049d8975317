import { bisectBracket, bisectUp } from '@lethe/numerics';
import { type Moment } from '@lethe/core';
import { assertMoment, momentRootUp } from './moment.js';

/** Above the rounding error of every step below. */
const slack = 1 + 1e-11;

/**
 * `sup E h(‖z‖)` over all distributions with the given moment, where `h(s) = s·|s + γ − radius| / (s + γ)` is
 * the distance of `z · radius / (‖z‖ + γ)` from `z`: the concave envelope of `h(u^(1/k))` in `u = ‖z‖^k`, at
 * the moment.
 *
 * For `radius ≤ γ` that function is concave itself. Else `h` has a hump over `[0, radius − γ]`, where short
 * vectors grow, and rises from 0 again beyond; both are concave in `u` where it matters, and between their
 * common tangent points `short` and `long` the least concave function is that tangent. A law on these two
 * norms in opposite directions attains it: one vector grows the way the other shrinks.
 *
 * @throws {InvalidParameter} on what is no moment.
 */
export function normalisingBias(radius: number, stability: number, moment: Moment): number {
  assertMoment(moment);
  const root = momentRootUp(moment);
  if (root === 0) return 0;
  const alone = displacement(radius, stability, root);
  if (radius <= stability) return alone;
  const { short, long, at } = commonTangent(stability / radius, (radius - stability) / radius, moment.order);
  const size = root / radius;
  return size <= short || size >= long ? alone : at(size) * radius * slack;
}

/** Upper bound of `h(norm)`; the norm itself where the other terms are below its rounding. */
function displacement(radius: number, stability: number, norm: number): number {
  return norm > 1e290 ? norm : ((norm * slack) / (norm + stability)) * Math.abs(norm + (stability - radius));
}

interface Tangent {
  readonly short: number;
  readonly long: number;
  /** The tangent at a norm; norms in units of the radius. */
  at(norm: number): number;
}

/** The common tangent for radius 1, stability `t` in (0, 1) and `edge = 1 − t`. */
function commonTangent(t: number, edge: number, order: number): Tangent {
  // Slopes in the norm: of the hump, and of the branch beyond the edge.
  const humpSlope = (s: number): number => (t * edge - 2 * t * s - s * s) / (s + t) / (s + t);
  const riseSlope = (s: number): number => (s * s + 2 * s * t - t * edge) / (s + t) / (s + t);
  const peak = (Math.sqrt(t) * edge) / (1 + Math.sqrt(t));
  /** The tangent in `u` at a norm beyond the edge: its value at 0, and its increase up to that norm. */
  const tangent = (long: number): { readonly start: number; readonly gain: number } => {
    const gain = (riseSlope(long) * long) / order;
    return { start: (long * (long - edge)) / (long + t) - gain, gain };
  };
  /** The norm at which the hump is highest above the tangent at `long`. */
  const highest = (long: number): number => {
    const slope = riseSlope(long);
    const steeper = (s: number): number => humpSlope(s) - slope * (s / long) ** (order - 1);
    return steeper(peak) < 0 ? bisectBracket(steeper, 0, peak, { tolerance: peak * 2 ** -45 }).lower : peak;
  };
  const above = (long: number): number => {
    const s = highest(long);
    const { start, gain } = tangent(long);
    return (s * (edge - s)) / (s + t) - start - gain * (s / long) ** order;
  };
  // At 4 the tangent starts at 4 − 1 − 4/k ≥ 1 or more, and the
  // hump is lower than 1. At the edge the tangent starts below 0.
  const long = bisectUp(above, edge, 4, { tolerance: edge * 2 ** -45 });
  const { start, gain } = tangent(long);
  return { short: highest(long), long, at: (norm) => start + gain * (norm / long) ** order };
}
