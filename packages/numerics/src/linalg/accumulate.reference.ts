import { addCoordinates, addRow, ascends, eachRow } from './each-element.js';
import { requireShapes, rowCount, type Matrix, type Rows } from './matrix.js';
import { requireCoordinates } from './require-coordinates.js';

/** {@link accumulate} by plain loops, for any strides, sparse rows and chosen coordinates. */
export function accumulate(
  X: Matrix,
  r: Float64Array,
  rows: Rows,
  out: Float64Array,
  coordinates?: Uint32Array,
): Float64Array {
  requireShapes(X, rows, {
    r: [r.length, rowCount(rows)],
    out: [out.length, coordinates?.length ?? X.columns],
  });
  requireCoordinates(X, coordinates);
  const ascending = coordinates !== undefined && ascends(coordinates);
  eachRow(X, rows, (position, row) => {
    const factor = r[position];
    if (factor === 0) return;
    if (coordinates === undefined) addRow(X, row, factor, out);
    else addCoordinates(X, row, factor, coordinates, ascending, out);
  });
  return out;
}
