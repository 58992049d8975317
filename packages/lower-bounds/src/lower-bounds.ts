import { convexLowerBound } from './lowy/convex-lower-bound.js';
import { stronglyConvexLowerBound } from './lowy/strongly-convex-lower-bound.js';

/** Every lower bound of this package. */
export const lowerBounds = [convexLowerBound, stronglyConvexLowerBound] as const;
