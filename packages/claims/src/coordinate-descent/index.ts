import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { convergenceChecks } from './convergence-checks.js';
import { guarded } from '../common/guarded.js';
import { sketchingChecks } from './sketching-checks.js';
import { coordinateDescentSubject, type CoordinateDescentSubject } from './subject.js';

export { coordinateDescentSubject, type CoordinateDescentSubject };

/**
 * The checks that decide the claims of Maranjyan, Sadiev and Richtárik 2024, by the ids its ledger names. Those that end in `-printed` try
 * a statement as it was printed, and must fail. Where a function of the subject throws, a check fails with the error as the cause; one of a printed statement
 * is skipped, for an error is no counterexample.
 *
 * @param subject - Functions to put in place of those that ship: with a wrong one, the checks that speak of it fail.
 * @throws {InvalidParameter} for a name that {@link coordinateDescentSubject} does not have, and for what cannot stand in for what has it.
 */
export function coordinateDescentChecks(subject: Partial<CoordinateDescentSubject> = {}): readonly ClaimCheck[] {
  const whole = checkedSubject({ subject: coordinateDescentSubject, checks: 'coordinateDescentChecks', called: 'coordinateDescentSubject' }, subject);
  return Object.freeze([...sketchingChecks(whole), ...convergenceChecks(whole)].map(guarded));
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => coordinateDescentChecks();
