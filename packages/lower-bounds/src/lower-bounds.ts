import { convexLowerBound } from './heavy-tails/convex-lower-bound.js';
import { stronglyConvexLowerBound } from './heavy-tails/strongly-convex-lower-bound.js';

/** Every lower bound of this package. */
export const lowerBounds = [convexLowerBound, stronglyConvexLowerBound] as const;
