import type { Bounds } from '@lethe/numerics';
import { intersection } from './intersection.js';
import type { LogProfile } from './jumps.js';

/** Bounds of an answer, and the profile that they were read from. */
export interface Composed {
  readonly bounds: Bounds;
  /** Whether the grid is coarser than was wanted, as a finer one takes too much work. */
  readonly isCoarse?: boolean;
  readonly profile: LogProfile;
}

/** The tighter ends of two answers to one question. */
export const both = (one: Composed, other: Composed): Composed => ({
  bounds: intersection(one.bounds, other.bounds),
  profile: {
    logUpper: (epsilon) => Math.min(one.profile.logUpper(epsilon), other.profile.logUpper(epsilon)),
    logLower: (epsilon) => Math.max(one.profile.logLower(epsilon), other.profile.logLower(epsilon)),
  },
});
