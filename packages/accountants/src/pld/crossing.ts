import { type Bounds, findRoot } from '@lethe/numerics';

/** Start of the search, first step, expected width of the answer, and tolerance of its ends. */
export interface Search {
  readonly near: number;
  readonly step: number;
  readonly apart: number;
  readonly tolerance: number;
}

/**
 * The ε at which a profile equals δ, as an interval. Both ends are checked: the upper bound is small enough
 * at the upper end, and the lower bound is too large at the lower end. So the result does not depend on
 * monotone bounds.
 */
export function inverted(
  logLower: (epsilon: number) => number,
  logUpper: (epsilon: number) => number,
  logDelta: number,
  search: Search,
): Bounds {
  const margin = 2 ** -51 * Math.abs(logDelta);
  const upper = rootOf((epsilon) => logUpper(epsilon) - logDelta + margin, search)[1];
  const lower = rootOf((epsilon) => logLower(epsilon) - logDelta - margin, {
    ...search,
    near: upper < Infinity ? upper : search.near,
    step: upper < Infinity ? search.apart : search.step,
  })[0];
  return { lower: Math.min(lower, upper), upper };
}

/**
 * Bracket of the root of a decreasing function. Far below the root, without numerical resolution, it may also
 * be negative.
 */
function rootOf(
  f: (epsilon: number) => number,
  { near, step: first, tolerance }: Search,
): readonly [number, number] {
  // The ends of the bracket are asked for twice.
  const known = new Map<number, number>();
  const safe = (epsilon: number): number => {
    const value = known.get(epsilon) ?? f(epsilon);
    known.set(epsilon, value);
    if (value > 1e4) return 1e4;
    return value > -1e4 ? value || -1e-300 : -1e4;
  };
  let low = near;
  let high = near;
  let below = safe(near) <= 0;
  if (!below) {
    for (let step = first; ; step *= 4) {
      low = high;
      high += step;
      if (high > 1e300) return [low, Infinity];
      if (safe(high) <= 0) break;
    }
  }
  for (let step = first; below; step *= 3) {
    if (low === 0) return [0, 0];
    high = low;
    low = Math.max(0, low - step);
    below = safe(low) <= 0;
  }
  const { lower, upper } = findRoot(safe, low, high, { tolerance: Math.max(tolerance, 1e-15 * high) });
  return [lower, upper];
}
