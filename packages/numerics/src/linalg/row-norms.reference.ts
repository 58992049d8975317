import { scaledNorm } from './each-element.js';
import { requireShapes, type Matrix } from './matrix.js';
import { requireCoordinates } from './require-coordinates.js';

/** {@link rowNorms} by plain loops, for any strides, sparse rows and chosen coordinates. */
export function rowNorms(X: Matrix, out: Float64Array, coordinates?: Uint32Array): Float64Array {
  requireShapes(X, { from: 0, to: X.rows }, { out: [out.length, X.rows] });
  requireCoordinates(X, coordinates);
  for (let row = 0; row < X.rows; row++) out[row] = scaledNorm(X, row, coordinates);
  return out;
}
