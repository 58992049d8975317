/**
 * An upper bound on the largest eigenvalue of every symmetric matrix within `radius`, entry by entry, of the
 * given one, within about 2⁻²⁰ of the best. A candidate is accepted when the Cholesky factorisation of
 * `candidate·I − matrix` runs to its end, which it does only for a matrix that is positive definite up to
 * rounding. O(columns³).
 *
 * @param matrix - `[columns²]`, symmetric, with entries of at most 1.
 * @see Higham, Accuracy and Stability of Numerical Algorithms, Theorem 10.7; Rump 2006.
 */
export function largestCorrelationEigenvalue(matrix: Float64Array, columns: number, radius: number): number {
  let largestRow = 0;
  for (let j = 0; j < columns; j++)
    largestRow = Math.max(
      largestRow,
      matrix.subarray(j * columns, (j + 1) * columns).reduce((sum, entry) => sum + Math.abs(entry), 0),
    );
  // Gershgorin's bound holds without a test.
  let low = 0;
  let high = largestRow;
  for (let round = 0; round < 24 && high - low > 2 ** -20 * high; round++) {
    const middle = low + (high - low) / 2;
    if (isDefinite(middle, matrix, columns)) high = middle;
    else low = middle;
  }
  const factorisation = (2 * columns * (columns + 1) + 4) * 2 ** -53;
  return high * (1 + factorisation) + columns * radius;
}

function isDefinite(shift: number, matrix: Float64Array, columns: number): boolean {
  const factor = new Float64Array(columns * columns);
  for (let j = 0; j < columns; j++) {
    for (let i = j; i < columns; i++) {
      let entry = (i === j ? shift : 0) - matrix[i * columns + j];
      for (let k = 0; k < j; k++) entry -= factor[i * columns + k] * factor[j * columns + k];
      if (i > j) factor[i * columns + j] = entry / factor[j * columns + j];
      else if (entry > 0) factor[j * columns + j] = Math.sqrt(entry);
      else return false;
    }
  }
  return true;
}
