import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { guarded } from '../common/guarded.js';
import { hardnessChecks } from './hardness/checks.js';
import { optimizerChecks } from './optimizers/checks.js';
import { oracleChecks } from './means/checks.js';
import { runsChecks } from './runs/checks.js';
import { heavyTailsSubject, type HeavyTailsSubject } from './subject.js';

export { heavyTailsSubject, type HeavyTailsSubject };

/**
 * Checks of the claims of Lowy and Razaviyayn 2023, with the ids of its ledger. Checks whose id ends in
 * `-printed` test a statement as printed, and must fail. If a function of the subject throws, a check fails
 * with the error as the cause; a check of a printed statement is skipped, since an error is not a
 * counterexample.
 *
 * @param subject - Replacements of shipped functions; the checks of a wrong replacement fail.
 * @throws {InvalidParameter} for a name that is not in {@link heavyTailsSubject}, or a replacement of another
 * type.
 */
export function heavyTailsChecks(subject: Partial<HeavyTailsSubject> = {}): readonly ClaimCheck[] {
  const whole = checkedSubject(
    { subject: heavyTailsSubject, checks: 'heavyTailsChecks', called: 'heavyTailsSubject' },
    subject,
  );
  return Object.freeze(
    [...oracleChecks(whole), ...optimizerChecks(whole), ...hardnessChecks(whole), ...runsChecks(whole)].map(
      guarded,
    ),
  );
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => heavyTailsChecks();
