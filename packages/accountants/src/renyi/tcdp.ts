import { multiplyUp, nextDown } from '@lethe/numerics';
import { accountantOf, type Found } from '../accountant/certify.js';
import { type AtOrder, renyiDelta, renyiEpsilon, type RenyiCurve } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({
  lower: 0,
  upper: value,
  exact: false,
  method: `tcdp, at the Rényi order ${Number(order.toPrecision(4))}`,
});
const zeroLoss: Found = { lower: 0, upper: 0, exact: true, method: 'tcdp' };

interface Truncated {
  readonly rho: number;
  readonly omega: number;
}

const curveOf =
  ({ rho, omega }: Truncated): RenyiCurve =>
  (alpha) =>
    alpha < omega ? multiplyUp(rho, alpha) : Infinity;
/**
 * The bound at the largest order below ω, taken for all smaller orders too: divergences do not decrease with
 * the order. It is the better curve where the best order would be beyond ω.
 */
const lastOf =
  ({ rho, omega }: Truncated): RenyiCurve =>
  (alpha) =>
    alpha < omega ? multiplyUp(rho, nextDown(omega)) : Infinity;
const lesser = (a: AtOrder, b: AtOrder): AtOrder => (b.value < a.value ? b : a);

/** (ρ, ω)-truncated concentrated differential privacy: `D_α ≤ ρα`, for orders below ω only. */
export const tcdp = accountantOf({
  name: 'tcdp',
  summary:
    'Adds up the ρ of truncated concentrated differential privacy, up to the least ω; ' +
    'converts at the best order below it.',
  source: { id: 'bun-dwork-rothblum-steinke-2018', item: 'Definition 1 and Lemma 5' },
  want: 'tcdp',
  claims: [],
  epsilon: (known, delta) =>
    known.rho === 0
      ? zeroLoss
      : found(lesser(renyiEpsilon(curveOf(known), delta), renyiEpsilon(lastOf(known), delta))),
  delta: (known, epsilon) =>
    known.rho === 0
      ? zeroLoss
      : found(lesser(renyiDelta(curveOf(known), epsilon), renyiDelta(lastOf(known), epsilon))),
});
