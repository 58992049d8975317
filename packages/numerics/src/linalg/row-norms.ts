import { scaledNorm } from './each-element.js';
import { precisionOf, requireShapes, type Matrix, type MatrixView } from './matrix.js';
import { eachChunk, engineFor, pointTo } from './on-engine.js';
import { rowNorms as reference } from './row-norms.reference.js';

// Between these norms a plain sum of squares has no underflow or overflow.
const SMALLEST = 1e-280;
const LARGEST = 1e300;

/**
 * `out[i] = ‖x_i‖₂` for every row, over all columns or over `coordinates`. A row with NaN or an infinity has
 * norm NaN or Infinity.
 *
 * @param out - `[rows]`, returned.
 * @throws {InvalidParameter} when a length does not fit.
 */
export function rowNorms(X: Matrix, out: Float64Array, coordinates?: Uint32Array): Float64Array {
  const engine = coordinates === undefined ? engineFor(X) : null;
  if (engine === null) return reference(X, out, coordinates);
  const rows = { from: 0, to: X.rows };
  const matrix = X as MatrixView;
  const { kernels } = engine;
  const kernel = precisionOf(matrix) === 32 ? kernels.squaredNorms32 : kernels.squaredNorms;
  requireShapes(X, rows, { out: [out.length, X.rows] });
  eachChunk(rows, (from, to) => {
    pointTo(engine, matrix, rows, from, to);
    kernel(to - from, X.columns);
    for (let i = from; i < to; i++) {
      const square = engine.coefficients[i - from];
      out[i] = square > SMALLEST && square < LARGEST ? Math.sqrt(square) : scaledNorm(X, i);
    }
  });
  return out;
}
