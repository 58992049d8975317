import type { ClaimCheck } from '@lethe/laws';
import { checkedSubject } from '../common/checked-subject.js';
import { guarded } from '../common/guarded.js';
import { constantChecks } from './constants.js';
import { differenceChecks } from './differences.js';
import { hiddenPassChecks } from './hidden-passes.js';
import { independentChecks } from './independent.js';
import { planChecks } from './plans.js';
import { potentialChecks } from './potential.js';
import { rateChecks } from './rates.js';
import { recursionChecks } from './recursion.js';
import { sampledStreamChecks } from './sampled-streams.js';
import { treeNoiseChecks } from './tree-noise.js';
import { unacceleratedChecks } from './unaccelerated.js';
import { recursiveGradientsSubject, type RecursiveGradientsSubject } from './subject.js';

export { recursiveGradientsSubject, type RecursiveGradientsSubject };
export { sampledStreamChecks, sampledStreamsSubject, type SampledStreamsSubject } from './sampled-streams.js';

/**
 * Checks of the claims of Choquette-Choo, Ganesh and Thakurta 2024, with the ids of its ledger. Checks whose
 * id ends in `-printed` test a statement as printed, and must fail.
 *
 * @param subject - Replacements of shipped functions; the checks of a wrong replacement fail.
 * @throws {InvalidParameter} for a name that is not in {@link recursiveGradientsSubject}, or a replacement of
 * another type.
 */
export function recursiveGradientsChecks(
  subject: Partial<RecursiveGradientsSubject> = {},
): readonly ClaimCheck[] {
  const whole = checkedSubject(
    {
      subject: recursiveGradientsSubject,
      checks: 'recursiveGradientsChecks',
      called: 'recursiveGradientsSubject',
    },
    subject,
  );
  return Object.freeze(
    [
      ...recursionChecks(whole),
      ...potentialChecks(whole),
      ...differenceChecks(whole),
      ...treeNoiseChecks(whole),
      ...constantChecks(whole),
      ...rateChecks(whole),
      ...planChecks(whole),
      ...independentChecks(whole),
      ...hiddenPassChecks(whole),
      ...unacceleratedChecks(whole),
    ].map(guarded),
  );
}

/** The checks of the paper, under the name by which `lethe claims` looks for them. */
export const checks = (): readonly ClaimCheck[] => [...recursiveGradientsChecks(), ...sampledStreamChecks()];
