import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { convergenceChecks } from './convergence-checks.js';
import { guarded } from '../common/guarded.js';
import { runsChecks } from './runs-checks.js';
import { sketchingChecks } from './sketching-checks.js';
import { coordinateDescentSubject, type CoordinateDescentSubject } from './subject.js';

export { coordinateDescentSubject, type CoordinateDescentSubject };

/**
 * Checks of the claims of Maranjyan, Sadiev and Richtárik 2024, with the ids of its ledger. Checks whose id
 * ends in `-printed` test a statement as printed, and must fail. If a function of the subject throws, a check
 * fails with the error as the cause; a check of a printed statement is skipped, since an error is not a
 * counterexample.
 *
 * @param subject - Replacements of shipped functions; the checks of a wrong replacement fail.
 * @throws {InvalidParameter} for a name that is not in {@link coordinateDescentSubject}, or a replacement of
 * another type.
 */
export function coordinateDescentChecks(
  subject: Partial<CoordinateDescentSubject> = {},
): readonly ClaimCheck[] {
  const whole = checkedSubject(
    {
      subject: coordinateDescentSubject,
      checks: 'coordinateDescentChecks',
      called: 'coordinateDescentSubject',
    },
    subject,
  );
  return Object.freeze(
    [...sketchingChecks(whole), ...convergenceChecks(whole), ...runsChecks(whole)].map(guarded),
  );
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => coordinateDescentChecks();
