import { InvalidParameter } from '@lethe/core';

/** @throws {InvalidParameter} unless the matrix has `dimension²` finite entries and equals its transpose. */
export function assertSymmetric(matrix: Float64Array, dimension: number): void {
  if (!Number.isSafeInteger(dimension) || dimension < 1)
    throw new InvalidParameter(
      `a matrix of ${matrix.length} entries is not square; give dimension² of them, by rows`,
      { length: matrix.length },
    );
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++) {
      const here = matrix[i * dimension + j];
      const there = matrix[j * dimension + i];
      if (!Number.isFinite(here) || here !== there)
        throw new InvalidParameter(
          `entries (${i}, ${j}) and (${j}, ${i}) are ${here} and ${there}; ` +
            'the matrix must be symmetric and finite',
          { i, j },
        );
    }
  }
}
