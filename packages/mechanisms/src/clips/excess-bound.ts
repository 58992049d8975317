import { addUp, divideUp, multiplyUp, powDown, powUp, subtractUp } from '@lethe/numerics';
import { type Moment } from '@lethe/core';
import { assertMoment, momentRootDown, momentRootUp } from './moment.js';

/**
 * `sup E (‖z‖ − threshold)₊` over all distributions with the given moment, in any norm: the bias of a clip
 * that moves a vector by the excess of its norm over a threshold. In `u = ‖z‖^k` the least concave function
 * above `(u^(1/k) − threshold)₊` is a line through 0 up to the tangent point `‖z‖ = k·threshold/(k−1)`, and
 * the function itself beyond; for a threshold of at most 0 it is concave by itself. Rounded up.
 *
 * @throws {InvalidParameter} on what is no moment.
 */
export function excessBound(threshold: number, moment: Moment): number {
  assertMoment(moment);
  const { order, value } = moment;
  const root = momentRootUp(moment);
  if (threshold <= 0) return addUp(root, -threshold);
  if (value === 0) return 0;
  const rest = order - 1;
  if (momentRootDown(moment) >= multiplyUp(threshold, divideUp(order, rest)))
    return subtractUp(root, threshold);
  const constant = divideUp(powUp(divideUp(rest, order), rest), order);
  const scale = powDown(threshold, rest);
  return Math.min(scale === 0 ? Infinity : multiplyUp(constant, divideUp(value, scale)), root);
}
