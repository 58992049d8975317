import type { ClaimCheck } from '@lethe/laws';
import type { OracleSubject } from './oracle-subject.js';

const checks: readonly ((subject: OracleSubject) => ClaimCheck)[] = [];

/** What decides rows C1 to C34: privacy, oracles and moments, in the order of the rows; those whose id ends in `-printed` try what is printed, and fail. */
export const oracleChecks = (subject: OracleSubject): readonly ClaimCheck[] => checks.map((check) => check(subject));
