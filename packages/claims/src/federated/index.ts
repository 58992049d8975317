import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { guarded } from '../common/guarded.js';
import { comparisonChecks } from './comparison.js';
import { errorChecks } from './errors.js';
import { fedAvgChecks } from './fedavg.js';
import { lossChecks } from './losses.js';
import { privacyChecks } from './privacy.js';
import { recursionChecks } from './recursion.js';
import { secureSumChecks } from './secure-sums.js';
import { sensitivityChecks } from './sensitivity.js';
import { siloChecks } from './silos.js';
import { siloUtilityChecks } from './silo-utility.js';
import { utilityChecks } from './utility.js';
import { federatedSubject, type FederatedSubject } from './subject.js';

export { federatedSubject, type FederatedSubject };

/**
 * Checks of the claims of Reshef and Levy 2024, with the ids of its ledger.
 *
 * @param subject - Replacements of shipped functions; the checks of a wrong replacement fail.
 * @throws {InvalidParameter} for a name that is not in {@link federatedSubject}, or a replacement of another
 * type.
 */
export function federatedChecks(subject: Partial<FederatedSubject> = {}): readonly ClaimCheck[] {
  const whole = checkedSubject(
    { subject: federatedSubject, checks: 'federatedChecks', called: 'federatedSubject' },
    subject,
  );
  return Object.freeze(
    [
      ...recursionChecks(whole),
      ...sensitivityChecks(whole),
      ...lossChecks(whole),
      ...errorChecks(whole),
      ...privacyChecks(whole),
      ...utilityChecks(whole),
      ...siloChecks(whole),
      ...siloUtilityChecks(whole),
      ...secureSumChecks(whole),
      ...fedAvgChecks(whole),
      ...comparisonChecks(whole),
    ].map(guarded),
  );
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => federatedChecks();
