import type { ClaimCheck } from '@lethe/laws';
import type { OptimiserSubject } from './optimiser-subject.js';

const checks: readonly ((subject: OptimiserSubject) => ClaimCheck)[] = [];

/** What decides rows C35 to C59: the optimisers, in the order of the rows; those whose id ends in `-printed` try what is printed, and fail. */
export const optimiserChecks = (subject: OptimiserSubject): readonly ClaimCheck[] => checks.map((check) => check(subject));
