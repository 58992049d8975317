import { assertSymmetric } from './symmetric.js';

/** Relative to the norm of the matrix: far above the rounding of rotations of up to a thousand rows. */
const margin = 2 ** -36;

/**
 * An upper bound on the largest eigenvalue of a symmetric matrix, within about 2⁻³⁵ of its Frobenius norm:
 * rotations make the matrix nearly diagonal, then no eigenvalue lies further right than an entry plus the
 * rest of its row (Gershgorin). O(dimension³).
 *
 * @param matrix - `dimension²` entries by rows.
 * @throws {InvalidParameter} unless the matrix is square, finite and symmetric.
 * @see Jacobi 1846; Golub and Van Loan, Matrix Computations, Section 8.5.
 */
export function largestEigenvalueUp(matrix: Float64Array): number {
  const size = Math.sqrt(matrix.length);
  assertSymmetric(matrix, size);
  // Scaled, so that no square overflows.
  const scale = matrix.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0);
  if (scale === 0) return 0;
  const a = matrix.map((entry) => entry / scale);
  const norm = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  for (let sweep = 0; sweep < 30 && offDiagonal(a, size) > (margin * norm) / size; sweep++) {
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, size, p, q);
  }
  let bound = -Infinity;
  for (let i = 0; i < size; i++) {
    let row = a[i * size + i];
    for (let j = 0; j < size; j++) if (j !== i) row += Math.abs(a[i * size + j]);
    bound = Math.max(bound, row);
  }
  return (bound + margin * norm) * scale;
}

function offDiagonal(a: Float64Array, size: number): number {
  let largest = 0;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) largest = Math.max(largest, Math.abs(a[i * size + j]));
  return largest;
}

/** Makes entry `(p, q)` zero by a rotation of rows and columns `p` and `q`. */
function rotate(a: Float64Array, size: number, p: number, q: number): void {
  const entry = a[p * size + q];
  if (entry === 0) return;
  const slope = (a[q * size + q] - a[p * size + p]) / (2 * entry);
  const t = (slope >= 0 ? 1 : -1) / (Math.abs(slope) + Math.hypot(slope, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  for (let k = 0; k < size; k++) {
    const x = a[k * size + p];
    const y = a[k * size + q];
    a[k * size + p] = c * x - s * y;
    a[k * size + q] = s * x + c * y;
  }
  for (let k = 0; k < size; k++) {
    const x = a[p * size + k];
    const y = a[q * size + k];
    a[p * size + k] = c * x - s * y;
    a[q * size + k] = s * x + c * y;
  }
}
