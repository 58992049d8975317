import { divideDown, divideUp, multiplyUp, powDown, powUp } from '@lethe/numerics';
import { InvalidParameter, type Moment } from '@lethe/core';

/** @throws {InvalidParameter} unless `order ≥ 2`, `value ≥ 0` and `second ≥ 0` are finite. */
export function assertMoment({ order, value, second = 0 }: Moment): void {
  if (!(order >= 2) || !Number.isFinite(order)) {
    throw new InvalidParameter(`a moment of order ${order} was given; give a finite order of at least 2`, {
      order,
    });
  }
  if (!(value >= 0) || !Number.isFinite(value)) {
    throw new InvalidParameter(
      `a moment of value ${value} was given; give a finite bound on E‖z‖^${order} that is at least 0`,
      { value },
    );
  }
  if (!(second >= 0) || !Number.isFinite(second)) {
    throw new InvalidParameter(
      `a second moment of ${second} was given; give a finite bound on E‖z‖² that is at least 0`,
      { second },
    );
  }
}

/** Upper bound on `value^(1/order)`, which bounds the norm's moments of every smaller order (Jensen). */
export function momentRootUp({ order, value }: Moment): number {
  return powUp(value, value >= 1 ? divideUp(1, order) : divideDown(1, order));
}

/** Lower bound on `value^(1/order)`. */
export function momentRootDown({ order, value }: Moment): number {
  return powDown(value, value >= 1 ? divideDown(1, order) : divideUp(1, order));
}

/**
 * `sup E min(‖z‖, cap)²` over all distributions with the given moment: `min(cap², (E‖z‖^k)^(2/k))`,
 * rounded up, or the second moment where that is smaller; attained on one norm.
 *
 * @throws {InvalidParameter} on what is no moment.
 */
export function cappedSquareUp(moment: Moment, cap: number): number {
  assertMoment(moment);
  const root = Math.min(momentRootUp(moment), cap);
  return Math.min(multiplyUp(root, root), moment.second ?? Infinity);
}
