import type { ClaimCheck } from '@lethe/laws';
import type { RecursiveGradientsSubject } from './subject.js';
/**
 * The checks that decide the claims of the paper, by the ids that its ledger names.
 *
 * @param subject - Functions to put in place of those that ship:
 * with a wrong one, the checks that speak of it fail.
 */
export const checks = (_subject: Partial<RecursiveGradientsSubject> = {}): readonly ClaimCheck[] =>
  Object.freeze([]);
