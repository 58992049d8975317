import type { ClippedGradient } from './clipped-gradient.js';
import { clippedSlope } from './clipped-slope.js';
import { addCoordinates, addRow, ascends, dotRow, eachRow } from './each-element.js';
import { isSparse, noSuchRow, requireShapes, rowAt, rowCount, type CsrMatrix } from './matrix.js';
import { requireCoordinates } from './require-coordinates.js';

/** {@link clippedGradient} by plain loops, for any strides, sparse rows and chosen coordinates. */
export function clippedGradient({
  X,
  labels,
  norms,
  w,
  rows,
  radius,
  slope,
  coordinates,
  out,
}: ClippedGradient): Float64Array {
  requireShapes(X, rows, {
    labels: [labels.length, X.rows],
    norms: [norms.length, X.rows],
    w: [w.length, X.columns],
    out: [out.length, coordinates?.length ?? X.columns],
  });
  requireCoordinates(X, coordinates);
  if (isSparse(X) && coordinates === undefined) {
    sparseSum(X, { labels, norms, w, rows, radius, slope, out });
    return out;
  }
  const ascending = coordinates !== undefined && ascends(coordinates);
  eachRow(X, rows, (_position, row) => {
    const factor = clippedSlope(slope, dotRow(X, row, w), labels[row], norms[row], radius);
    if (factor === 0) return;
    if (coordinates === undefined) addRow(X, row, factor, out);
    else addCoordinates(X, row, factor, coordinates, ascending, out);
  });
  return out;
}

/** The same without a call for each row, which costs more than the few entries of a sparse one. */
function sparseSum(
  X: CsrMatrix,
  { labels, norms, w, rows, radius, slope, out }: Omit<ClippedGradient, 'X' | 'coordinates'>,
): void {
  const { rowStarts, columnIndices, values } = X;
  const count = rowCount(rows);
  for (let position = 0; position < count; position++) {
    const row = rowAt(rows, position);
    if (row >= X.rows) throw noSuchRow(X.rows);
    const from = rowStarts[row];
    const to = rowStarts[row + 1];
    let margin = 0;
    for (let k = from; k < to; k++) margin += values[k] * w[columnIndices[k]];
    const factor = clippedSlope(slope, margin, labels[row], norms[row], radius);
    if (factor === 0) continue;
    for (let k = from; k < to; k++) out[columnIndices[k]] += factor * values[k];
  }
}
