import { margins as reference, sparseMargins as plainSparseMargins } from './margins.reference.js';
import {
  isSparse,
  precisionOf,
  requireShapes,
  rowCount,
  type CsrMatrix,
  type Matrix,
  type Rows,
} from './matrix.js';
import { addressOf, eachChunk, engineFor, pointTo } from './on-engine.js';
import { sumsFor } from './sparse-kernels.js';

/**
 * `out[i] = ⟨x, w⟩` for the i-th of the chosen rows.
 *
 * @param w - `[columns]`.
 * @param out - `[number of rows chosen]`, returned.
 * @throws {InvalidParameter} when a length does not fit or a row does not exist.
 */
export function margins(X: Matrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  if (isSparse(X)) return sparseMargins(X, w, rows, out);
  const engine = engineFor(X);
  if (engine === null) return reference(X, w, rows, out);
  requireShapes(X, rows, { w: [w.length, X.columns], out: [out.length, rowCount(rows)] });
  const atW = addressOf(engine, w, engine.iterate);
  const { kernels } = engine;
  const kernel = precisionOf(X) === 32 ? kernels.margins32 : kernels.margins;
  eachChunk(rows, (from, to) => {
    pointTo(engine, X, rows, from, to);
    kernel(0, to - from, X.columns, atW);
    out.set(engine.coefficients.subarray(0, to - from), from);
  });
  return out;
}

/** The same bits as the plain loops, which do not copy a long point for the sake of few entries. */
function sparseMargins(X: CsrMatrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  requireShapes(X, rows, { w: [w.length, X.columns], out: [out.length, rowCount(rows)] });
  return sumsFor(X, rows)?.margins(w, rows, out) ?? plainSparseMargins(X, w, rows, out);
}
