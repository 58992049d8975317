import type { Norm } from '@lethe/core';

/** A norm without intermediate overflow or underflow; `Infinity` for non-finite entries, NaN included. */
export function normOf(norm: Norm, vector: ArrayLike<number>): number {
  if (norm === 'l2') {
    let squares = 0;
    for (let i = 0; i < vector.length; i++) squares += vector[i] * vector[i];
    // What underflows beside such a sum is negligible. The comparisons are false for NaN.
    if (squares > 1e-250 && squares < Infinity) return Math.sqrt(squares);
  }
  let largest = 0;
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i]);
    if (!(size < Infinity)) return Infinity;
    if (size > largest) largest = size;
  }
  if (norm === 'linf' || largest === 0) return largest;
  // A power of two, for exact scaling except of negligible entries.
  const unit = 2 ** Math.max(-1022, Math.floor(Math.log2(largest)));
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i]) / unit;
    sum += norm === 'l1' ? size : size * size;
  }
  return (norm === 'l1' ? sum : Math.sqrt(sum)) * unit;
}

/**
 * Norm of the difference; `Infinity` for different lengths or
 * a non-finite difference, so that NaN never counts as small.
 */
export function distance(norm: Norm, a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Infinity;
  const apart = new Float64Array(a.length);
  for (let i = 0; i < apart.length; i++) apart[i] = a[i] - b[i];
  return normOf(norm, apart);
}
