import { dotRow, eachRow } from './each-element.js';
import {
  noSuchRow,
  requireShapes,
  rowAt,
  rowCount,
  type CsrMatrix,
  type Matrix,
  type Rows,
} from './matrix.js';

/** {@link margins} by plain loops, for any strides and sparse rows. */
export function margins(X: Matrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  requireShapes(X, rows, { w: [w.length, X.columns], out: [out.length, rowCount(rows)] });
  eachRow(X, rows, (position, row) => {
    out[position] = dotRow(X, row, w);
  });
  return out;
}

/** Rows whose entries are fetched together: they stay in the second cache until they are used. */
const together = 256;

/**
 * The same for sparse rows, without a call for each, which costs more than the few entries of one. Rows at
 * random places are read twice: first so that what is fetched for one waits for no other.
 */
export function sparseMargins(
  { rows: count, rowStarts, columnIndices, values }: CsrMatrix,
  w: Float64Array,
  rows: Rows,
  out: Float64Array,
): Float64Array {
  for (let first = 0; first < out.length; first += together) {
    const last = Math.min(out.length, first + together);
    let read = 0;
    for (let i = first; i < last; i++) {
      const row = rowAt(rows, i);
      if (row >= count) throw noSuchRow(count);
      read += rowStarts[row];
    }
    for (let i = first; i < last; i++) {
      const row = rowAt(rows, i);
      const to = rowStarts[row + 1];
      for (let k = rowStarts[row]; k < to; k += line) read += values[k] + columnIndices[k];
    }
    out[first] = read; // overwritten: without a use, nothing would be read
    for (let i = first; i < last; i++) {
      const row = rowAt(rows, i);
      const to = rowStarts[row + 1];
      let margin = 0;
      for (let k = rowStarts[row]; k < to; k++) margin += values[k] * w[columnIndices[k]];
      out[i] = margin;
    }
  }
  return out;
}

/** Doubles in a line of the caches. */
const line = 8;
