import { divideDown, divideUp, multiplyUp, powDown, powUp } from '@lethe/numerics';
import { InvalidParameter, type Moment } from '@lethe/core';

/** @throws {InvalidParameter} unless `order ≥ 2` is finite and `value ≥ 0` is finite. */
export function assertMoment({ order, value }: Moment): void {
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
 * `sup E min(‖z‖, cap)²` over all laws with the given moment:
 * `min(cap², (E‖z‖^k)^(2/k))`, rounded up; attained on one norm.
 *
 * @throws {InvalidParameter} on what is no moment.
 */
export function cappedSquareUp(moment: Moment, cap: number): number {
  assertMoment(moment);
  const root = Math.min(momentRootUp(moment), cap);
  return multiplyUp(root, root);
}
