import { convexLowerBound } from './lowy/convex-lower-bound.js';

/** Every lower bound of this package. */
export const lowerBounds = [convexLowerBound] as const;
