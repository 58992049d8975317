import type { ClippedGradient } from './clipped-gradient.js';
import { clippedSlope } from './clipped-slope.js';
import { addCoordinates, addRow, ascends, dotRow, eachRow } from './each-element.js';
import { requireShapes } from './matrix.js';
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
  const ascending = coordinates !== undefined && ascends(coordinates);
  eachRow(X, rows, (_position, row) => {
    const factor = clippedSlope(slope, dotRow(X, row, w), labels[row], norms[row], radius);
    if (factor === 0) return;
    if (coordinates === undefined) addRow(X, row, factor, out);
    else addCoordinates(X, row, factor, coordinates, ascending, out);
  });
  return out;
}
