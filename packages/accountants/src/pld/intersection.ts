import type { Bounds } from '@lethe/numerics';

/** What two bounds on one number leave of it. */
export const intersection = (a: Bounds, b: Bounds): Bounds => ({
  lower: Math.max(a.lower, b.lower),
  upper: Math.min(a.upper, b.upper),
});
