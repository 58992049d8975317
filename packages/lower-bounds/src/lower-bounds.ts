import { convexLowerBound } from './heavy-tails/convex-lower-bound.js';
import { stronglyConvexLowerBound } from './heavy-tails/strongly-convex-lower-bound.js';

/** All lower bounds of this package. */
export const lowerBounds = [convexLowerBound, stronglyConvexLowerBound] as const;
