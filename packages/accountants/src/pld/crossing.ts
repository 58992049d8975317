import { type Bounds, findRoot } from '@lethe/numerics';

/** Where to look, how far to go at first, how far the ends are likely apart, and how exactly they are wanted. */
export interface Search { readonly near: number; readonly step: number; readonly apart: number; readonly tolerance: number }

/**
 * The ε at which a profile comes down to δ. Both ends were checked: at the upper one the upper bound is small enough, at the lower
 * one the lower bound is too large, so that nothing rests on the bounds being monotone.
 */
export function inverted(logLower: (epsilon: number) => number, logUpper: (epsilon: number) => number, logDelta: number, search: Search): Bounds {
  const margin = 2 ** -51 * Math.abs(logDelta);
  const upper = crossing((epsilon) => logUpper(epsilon) - logDelta + margin, search)[1];
  const lower = crossing((epsilon) => logLower(epsilon) - logDelta - margin, { ...search, near: upper < Infinity ? upper : search.near, step: upper < Infinity ? search.apart : search.step })[0];
  return { lower: Math.min(lower, upper), upper };
}

/** A bracket, in which a falling function comes down to 0. Far below the answer, where nothing is resolved, it may be below 0 too. */
function crossing(f: (epsilon: number) => number, { near, step: first, tolerance }: Search): readonly [number, number] {
  const safe = (epsilon: number): number => { const value = f(epsilon); return value > 1e4 ? 1e4 : value > -1e4 ? value || -1e-300 : -1e4; };
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
