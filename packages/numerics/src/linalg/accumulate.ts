import { accumulate as reference } from './accumulate.reference.js';
import {
  isSparse,
  precisionOf,
  requireShapes,
  rowCount,
  type CsrMatrix,
  type Matrix,
  type MatrixView,
  type Rows,
} from './matrix.js';
import { eachChunk, engineFor, pointTo } from './on-engine.js';
import { sumsFor } from './sparse-kernels.js';

/**
 * `out += Σ r[i] · x` over the chosen rows, in chunks of fixed size. A row with coefficient zero is not read:
 * it adds exactly nothing, even if it contains NaN.
 *
 * @param r - `[number of rows chosen]`.
 * @param out - `[columns]`, or `[coordinates.length]` for selected columns; returned.
 * @throws {InvalidParameter} when a length does not fit or a row does not exist.
 */
export function accumulate(
  X: Matrix,
  r: Float64Array,
  rows: Rows,
  out: Float64Array,
  coordinates?: Uint32Array,
): Float64Array {
  if (isSparse(X) && coordinates === undefined) return sparseAccumulate(X, r, rows, out);
  const engine = coordinates === undefined ? engineFor(X) : null;
  if (engine === null) return reference(X, r, rows, out, coordinates);
  requireShapes(X, rows, { r: [r.length, rowCount(rows)], out: [out.length, X.columns] });
  const { partial, kernels } = engine;
  const matrix = X as MatrixView;
  const kernel = precisionOf(matrix) === 32 ? kernels.accumulate32 : kernels.accumulate;
  eachChunk(rows, (from, to) => {
    pointTo(engine, matrix, rows, from, to);
    engine.coefficients.set(r.length === to - from ? r : r.subarray(from, to));
    partial.fill(0, 0, X.columns);
    kernel(0, to - from, X.columns, partial.byteOffset);
    for (let j = 0; j < out.length; j++) out[j] += partial[j];
  });
  return out;
}

/** The same bits as the plain loops, which do not copy a long sum for the sake of few entries. */
function sparseAccumulate(X: CsrMatrix, r: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  const sums = sumsFor(X, rows);
  if (sums === null) return reference(X, r, rows, out);
  requireShapes(X, rows, { r: [r.length, rowCount(rows)], out: [out.length, X.columns] });
  return sums.accumulate(r, rows, out);
}
