import type { ClaimCheck } from '@lethe/laws';
import { convergenceChecks } from './convergence-checks.js';
import { sketchingChecks } from './sketching-checks.js';
import { maranjyanSubject, type MaranjyanSubject } from './subject.js';

export { maranjyanSubject, type MaranjyanSubject };

/**
 * The checks that decide the claims of Maranjyan, Sadiev and Richtárik 2024, by the ids its ledger names. Those that end in `-printed` try
 * a statement as it was printed, and must fail.
 *
 * @param subject - Functions to put in place of those that ship: with a wrong one, the checks that speak of it fail.
 */
export function maranjyanChecks(subject: Partial<MaranjyanSubject> = {}): readonly ClaimCheck[] {
  const whole: MaranjyanSubject = { ...maranjyanSubject, ...subject };
  return Object.freeze([...sketchingChecks(whole), ...convergenceChecks(whole)]);
}
