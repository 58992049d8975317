import { accountantOf, type Found } from '../accountant/certify.js';
import { renyiLimit } from '../filters/renyi-limit.js';
import { renyiDelta, renyiEpsilon, type AtOrder } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({
  lower: 0,
  upper: value,
  exact: false,
  method: `rdp, at the order ${Number(order.toPrecision(4))}`,
});

const source = { id: 'asoodeh-liao-calmon-kosut-sankar-2021', item: 'Theorem 3' };

/**
 * Rényi differential privacy with all real orders above 1 instead of a fixed grid. The divergences of
 * Poisson-sampled Gaussians are exact.
 */
export const rdp = accountantOf({
  name: 'rdp',
  summary:
    'Adds up Rényi divergences at every order and converts at the best one; supports Poisson sampling.',
  source,
  want: 'rdp',
  filter: renyiLimit(),
  claims: [
    { property: 'renyi-optimal', statement: 'No Rényi order gives a smaller value than the result.', source },
  ],
  epsilon: (curve, delta, stated) => found(renyiEpsilon(curve, delta, 'joint-range', stated)),
  delta: (curve, epsilon, stated) => found(renyiDelta(curve, epsilon, 'joint-range', stated)),
});
