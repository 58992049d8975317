import { convexLowerBound } from './heavy-tails/convex-lower-bound.js';
import { stronglyConvexLowerBound } from './heavy-tails/strongly-convex-lower-bound.js';
import { approximateSparseMeanBound } from './sparse-gradients/approximate-lower-bound.js';
import { packingMeanBound } from './sparse-gradients/packing-lower-bound.js';
import { pureSparseMeanBound } from './sparse-gradients/pure-lower-bound.js';

/** All lower bounds of this package. */
export const lowerBounds = [
  convexLowerBound,
  stronglyConvexLowerBound,
  pureSparseMeanBound,
  packingMeanBound,
  approximateSparseMeanBound,
] as const;
