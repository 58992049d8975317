import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { guarded } from '../common/guarded.js';
import { hardnessChecks } from './hardness/checks.js';
import { optimizerChecks } from './optimizers/checks.js';
import { oracleChecks } from './means/checks.js';
import { heavyTailsSubject, type HeavyTailsSubject } from './subject.js';

export { heavyTailsSubject, type HeavyTailsSubject };

/**
 * The checks that decide the claims of Lowy and Razaviyayn 2023, by the ids its ledger names. Those that end in `-printed` try
 * a statement as it was printed, and must fail. Where a function of the subject throws, a check fails with the error as the cause; one of a printed statement
 * is skipped, for an error is no counterexample.
 *
 * @param subject - Functions to put in place of those that ship: with a wrong one, the checks that speak of it fail.
 * @throws {InvalidParameter} for a name that {@link heavyTailsSubject} does not have, and for what cannot stand in for what has it.
 */
export function heavyTailsChecks(subject: Partial<HeavyTailsSubject> = {}): readonly ClaimCheck[] {
  const whole = checkedSubject({ subject: heavyTailsSubject, checks: 'heavyTailsChecks', called: 'heavyTailsSubject' }, subject);
  return Object.freeze([...oracleChecks(whole), ...optimizerChecks(whole), ...hardnessChecks(whole)].map(guarded));
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => heavyTailsChecks();
