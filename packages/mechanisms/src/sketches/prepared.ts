import { InvalidParameter } from '@lethe/core';

/**
 * Coordinates of a sketch are 32-bit numbers.
 * @throws {InvalidParameter} unless `dimension` is a whole number from 1 to 2³² − 1.
 */
export function assertDimension(dimension: number): void {
  if (!Number.isSafeInteger(dimension) || dimension < 1 || dimension > 2 ** 32 - 1) {
    throw new InvalidParameter(
      `a sketch of ${dimension} coordinates was asked for; ` +
        'the dimension is a whole number from 1 to 2^32 - 1',
      { dimension },
    );
  }
}

/** @throws {InvalidParameter} unless `0 <= i, j < dimension`, whole numbers. */
export function assertCoordinates(dimension: number, i: number, j: number): void {
  assertDimension(dimension);
  for (const coordinate of [i, j]) {
    if (!Number.isSafeInteger(coordinate) || coordinate < 0 || coordinate >= dimension) {
      throw new InvalidParameter(
        `coordinate ${coordinate} was asked for; there are coordinates 0 to ${dimension - 1}`,
        { coordinate, dimension },
      );
    }
  }
}

/**
 * Caches the result of `make` for parameters and their last dimension,
 * as long as the parameters live.
 */
export function prepared<P extends object, T>(
  make: (params: P, dimension: number) => T,
): (params: P, dimension: number) => T {
  const last = new WeakMap<P, { readonly dimension: number; readonly value: T }>();
  return (params, dimension) => {
    const known = last.get(params);
    if (known?.dimension === dimension) return known.value;
    assertDimension(dimension);
    const value = make(params, dimension);
    last.set(params, { dimension, value });
    return value;
  };
}

/** Largest number of listed sets. */
export const mostListed = 2 ** 17;
/** Largest number of subsets of one kind that are listed. */
export const mostSubsets = 4096;
