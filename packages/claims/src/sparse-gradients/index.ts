import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { guarded } from '../common/guarded.js';
import { algorithmFourChecks } from './algorithm-four.js';
import { boostingChecks } from './boosting.js';
import { conclusionChecks } from './conclusions.js';
import { lowerBoundTermChecks } from './lower-bound-terms.js';
import { netBoundChecks } from './net-bounds.js';
import { meansChecks } from './means/checks.js';
import { levelChecks } from './levels.js';
import { netChecks } from './nets.js';
import { packingChecks } from './packings.js';
import { pathChecks } from './paths.js';
import { perturbationChecks } from './perturbation.js';
import { scheduleChecks } from './schedules.js';
import { strengthChecks } from './strengths.js';
import { sparseGradientsSubject, type SparseGradientsSubject } from './subject.js';
import { utilityOfRunsChecks } from './utility-of-runs.js';

export { sparseGradientsSubject, type SparseGradientsSubject };

/**
 * Checks of the claims of Ghazi and others 2024, with the ids of its ledger. Checks whose id ends in
 * `-printed` test a statement as printed, and must fail.
 *
 * @param subject - Replacements of shipped functions; the checks of a wrong replacement fail.
 * @throws {InvalidParameter} for a name that is not in {@link sparseGradientsSubject}, or a replacement of
 * another type.
 */
export function sparseGradientsChecks(subject: Partial<SparseGradientsSubject> = {}): readonly ClaimCheck[] {
  const whole = checkedSubject(
    { subject: sparseGradientsSubject, checks: 'sparseGradientsChecks', called: 'sparseGradientsSubject' },
    subject,
  );
  return Object.freeze(
    [
      ...meansChecks(whole),
      ...levelChecks(whole),
      ...scheduleChecks(whole),
      ...pathChecks(whole),
      ...algorithmFourChecks(whole),
      ...utilityOfRunsChecks(whole),
      ...boostingChecks(whole),
      ...perturbationChecks(whole),
      ...netChecks(whole),
      ...strengthChecks(whole),
      ...netBoundChecks(whole),
      ...packingChecks(whole),
      ...lowerBoundTermChecks(whole),
      ...conclusionChecks(whole),
    ].map(guarded),
  );
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => sparseGradientsChecks();
