import { InvalidParameter } from '@lethe/core';

/**
 * The argument of a distribution function.
 * @throws {InvalidParameter} for NaN; infinities have a probability below them.
 */
export function orderedNumber(x: number): number {
  if (Number.isNaN(x))
    throw new InvalidParameter('a distribution function was asked for its value at NaN; give a number', {
      x,
    });
  return x;
}
