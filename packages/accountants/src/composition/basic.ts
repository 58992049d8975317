import { pureDelta, pureEpsilon } from '../profiles/pure-profile.js';
import { basicLimit } from '../filters/basic-limit.js';
import { accountantOfParts, type ResponseCurve } from './accountant-of-parts.js';

/** Privacy curve of one `sum`-DP release. */
export const onceOf = (sum: number, method: string): ResponseCurve => ({
  delta: (epsilon) => ({ lower: 0, upper: pureDelta(sum, epsilon) }),
  epsilon: (delta) => ({ lower: 0, upper: pureEpsilon(sum, delta) }),
  method,
});

/** Adds up ε and δ. */
export const basic = accountantOfParts({
  name: 'basic',
  summary: 'Adds up the ε and the δ of each release, and reads the curve of one release of their sums.',
  source: { id: 'dwork-kenthapadi-mcsherry-mironov-naor-2006', item: 'Theorem 1' },
  filter: basicLimit(),
  failing: ({ deltas }) => ({ lower: 0, upper: deltas }),
  curve: ({ sum }) => onceOf(sum.upper, 'basic'),
});
