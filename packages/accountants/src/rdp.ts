import { accountantOf, type Found } from './certify.js';
import { renyiDelta, renyiEpsilon, type AtOrder } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({ lower: 0, upper: value, exact: false, method: `rdp, at the order ${Number(order.toPrecision(4))}` });

/** Rényi differential privacy with every real order above 1, not a grid of them; exact divergences for Poisson-sampled Gaussians. */
export const rdp = accountantOf({
  name: 'rdp',
  summary: 'Adds up Rényi divergences at every order and converts at the best one; knows Poisson sampling.',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Proposition 12' },
  want: 'rdp',
  claims: [{ property: 'renyi-optimal', statement: 'No order gives less than it does.', source: { id: 'canonne-kamath-steinke-2020', item: 'Proposition 12' } }],
  epsilon: (curve, delta) => found(renyiEpsilon(curve, delta)),
  delta: (curve, epsilon) => found(renyiDelta(curve, epsilon)),
});
