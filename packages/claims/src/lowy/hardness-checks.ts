import type { ClaimCheck } from '@lethe/laws';
import type { HardnessSubject } from './hardness-subject.js';

const checks: readonly ((subject: HardnessSubject) => ClaimCheck)[] = [];

/** What decides rows C60 to C73: lower bounds and prior work, in the order of the rows; those whose id ends in `-printed` try what is printed, and fail. */
export const hardnessChecks = (subject: HardnessSubject): readonly ClaimCheck[] => checks.map((check) => check(subject));
