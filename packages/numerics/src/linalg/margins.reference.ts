import { dotRow, eachRow } from './each-element.js';
import { requireShapes, rowCount, type Matrix, type Rows } from './matrix.js';

/** {@link margins} by plain loops, for any strides and sparse rows. */
export function margins(X: Matrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  requireShapes(X, rows, { w: [w.length, X.columns], out: [out.length, rowCount(rows)] });
  eachRow(X, rows, (position, row) => {
    out[position] = dotRow(X, row, w);
  });
  return out;
}
