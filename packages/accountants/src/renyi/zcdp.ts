import { multiplyUp } from '@lethe/numerics';
import { accountantOf, type Found } from '../accountant/certify.js';
import { zcdpLimit } from '../filters/zcdp-limit.js';
import { renyiDelta, renyiEpsilon, type AtOrder } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({
  lower: 0,
  upper: value,
  exact: false,
  method: `zcdp, at the Rényi order ${Number(order.toPrecision(4))}`,
});
const zeroLoss: Found = { lower: 0, upper: 0, exact: true, method: 'zcdp' };

/**
 * ρ-zero-concentrated differential privacy: a single number that adds up under composition, converted at the
 * best Rényi order.
 */
export const zcdp = accountantOf({
  name: 'zcdp',
  summary:
    'Adds up the ρ of zero-concentrated differential privacy; ' +
    'does not account for amplification by sampling.',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Corollary 13' },
  want: 'zcdp',
  filter: zcdpLimit(),
  claims: [],
  epsilon: (rho, delta) =>
    rho === 0 ? zeroLoss : found(renyiEpsilon((alpha) => multiplyUp(rho, alpha), delta, 'closed-form')),
  delta: (rho, epsilon) =>
    rho === 0 ? zeroLoss : found(renyiDelta((alpha) => multiplyUp(rho, alpha), epsilon, 'closed-form')),
});
