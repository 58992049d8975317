import { defineClaimCheck, fails, holds, type ClaimCheck } from '@lethe/laws';
import { federatedSubject, type FederatedSubject } from './subject.js';

const numbers = [1, 3, 10, 1000, 1e6];

/** Row 1. */
const halves = ({ bound }: FederatedSubject): ClaimCheck => defineClaimCheck({
  id: 'federated/halves', tier: 'exact', statement: 'bound(2n) = bound(n) / 2, for n from 1 to a million', power: 'certain, for five numbers',
  run() {
    const wrong = numbers.find((n) => Math.abs(bound(2 * n) - bound(n) / 2) > 1e-12 * bound(n));
    if (wrong === undefined) return holds(numbers.length);
    return fails(numbers.length, { what: `with twice ${wrong} records the bound is not half as large`, measured: bound(2 * wrong) });
  },
});

/**
 * The checks that decide the claims of the paper, by the ids that its ledger names.
 *
 * @param subject - Functions to put in place of those that ship:
 * with a wrong one, the checks that speak of it fail.
 */
export const checks = (subject: Partial<FederatedSubject> = {}): readonly ClaimCheck[] =>
  Object.freeze([halves({ ...federatedSubject, ...subject })]);
