import type { Engine } from './arena.js';
import type { ClippedGradient, ClippedTerms } from './clipped-query.js';
import { rowCount, type CsrMatrix, type Matrix, type Rows } from './matrix.js';

/**
 * Sums over the sparse rows of one matrix by kernels. They come with a matrix that `sparseInArena` makes, so
 * that a program without sparse rows does not contain them. Results have the same bits as plain loops;
 * lengths and radius are checked by the caller, rows here.
 */
export interface SparseSums {
  readonly engine: Engine;
  margins(w: Float64Array, rows: Rows, out: Float64Array): Float64Array;
  accumulate(r: Float64Array, rows: Rows, out: Float64Array): Float64Array;
  /** For a slope that the kernels know, with labels and norms in the arena. */
  clippedGradient(query: ClippedGradient): void;
  /** The same of two terms. */
  clippedPair(query: ClippedTerms): void;
}

/** Sums of matrices by their columns, with the matrix as it was checked; the kernels read no other. */
const known = new WeakMap<Uint32Array, { readonly X: CsrMatrix; readonly sums: SparseSums }>();

/** Gives a checked matrix its sums. */
export function addSums(X: CsrMatrix, sums: SparseSums): void {
  known.set(X.columnIndices, { X, sums });
}

/** The sums that come with a matrix; null for one of other arrays. */
export function sumsOf(X: Matrix): SparseSums | null {
  if (!('rowStarts' in X)) return null;
  const found = known.get(X.columnIndices);
  if (found === undefined || found.X.rows !== X.rows || found.X.columns !== X.columns) return null;
  return found.X.rowStarts === X.rowStarts && found.X.values === X.values ? found.sums : null;
}

/** The sums that come with a matrix, for rows of which plain loops would cost more; else null. */
export const sumsFor = (X: CsrMatrix, rows: Rows): SparseSums | null =>
  touchesFew(X, rows) ? null : sumsOf(X);

/** Whether so few entries are meant that a copy of a whole point would cost more than plain loops. */
export function touchesFew(X: CsrMatrix, rows: Rows): boolean {
  const average = X.values.length / Math.max(1, X.rows);
  return 16 * rowCount(rows) * Math.max(1, average) < X.columns;
}
