import { multiplyUp } from '@lethe/numerics';
import { accountantOf, type Found } from '../accountant/certify.js';
import { zcdpLimit } from '../filters/zcdp-limit.js';
import { renyiDelta, renyiEpsilon, type AtOrder } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({ lower: 0, upper: value, exact: false, method: `zcdp, at the Rényi order ${Number(order.toPrecision(4))}` });
const nothing: Found = { lower: 0, upper: 0, exact: true, method: 'zcdp' };

/** ρ-zero-concentrated differential privacy: one number that adds up, converted at the best Rényi order. */
export const zcdp = accountantOf({
  name: 'zcdp',
  summary: 'Adds up the ρ of zero-concentrated differential privacy; needs no amplification by sampling.',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Corollary 13' },
  want: 'zcdp',
  filter: zcdpLimit(),
  claims: [],
  epsilon: (rho, delta) => (rho === 0 ? nothing : found(renyiEpsilon((alpha) => multiplyUp(rho, alpha), delta, 'closed-form'))),
  delta: (rho, epsilon) => (rho === 0 ? nothing : found(renyiDelta((alpha) => multiplyUp(rho, alpha), epsilon, 'closed-form'))),
});
