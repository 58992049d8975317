import type { ClippedGradient } from './clipped-query.js';
import { clippedSlope } from './clipped-slope.js';
import { addCoordinates, addRow, ascends, dotRow, eachRow } from './each-element.js';
import { sparseMargins } from './margins.reference.js';
import { isSparse, requireShapes, rowAt, rowCount, rowsBetween, type CsrMatrix } from './matrix.js';
import { CHUNK } from './kernels.wasm.js';
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

/**
 * The same without a call for each row, which costs more than the few entries of a sparse one.
 */
function sparseSum(
  X: CsrMatrix,
  { labels, norms, w, rows, radius, slope, out }: Omit<ClippedGradient, 'X' | 'coordinates'>,
): void {
  const { rowStarts, columnIndices, values } = X;
  const count = rowCount(rows);
  const factors = new Float64Array(Math.min(count, CHUNK));
  for (let first = 0; first < count; first += CHUNK) {
    const some = Math.min(CHUNK, count - first);
    sparseMargins(X, w, rowsBetween(rows, first, first + some), factors.subarray(0, some));
    for (let i = 0; i < some; i++) {
      const row = rowAt(rows, first + i);
      factors[i] = clippedSlope(slope, factors[i], labels[row], norms[row], radius);
    }
    for (let i = 0; i < some; i++) {
      const factor = factors[i];
      if (factor === 0) continue;
      const row = rowAt(rows, first + i);
      const to = rowStarts[row + 1];
      for (let k = rowStarts[row]; k < to; k++) out[columnIndices[k]] += factor * values[k];
    }
  }
}
