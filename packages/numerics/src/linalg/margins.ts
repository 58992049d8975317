import { margins as reference } from './margins.reference.js';
import { requireShapes, rowCount, type Matrix, type MatrixView, type Rows } from './matrix.js';
import { addressOf, eachChunk, engineFor, pointTo } from './on-engine.js';

/**
 * `out[i] = ⟨x, w⟩` for the i-th of the chosen rows.
 *
 * @param w - `[columns]`.
 * @param out - `[number of rows chosen]`, returned.
 * @throws {InvalidParameter} when a length does not fit or a row does not exist.
 */
export function margins(X: Matrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  const engine = engineFor(X);
  if (engine === null) return reference(X, w, rows, out);
  requireShapes(X, rows, { w: [w.length, X.columns], out: [out.length, rowCount(rows)] });
  const atW = addressOf(engine, w, engine.iterate);
  eachChunk(rows, (from, to) => {
    pointTo(engine, X as MatrixView, rows, from, to);
    engine.kernels.margins(0, to - from, X.columns, atW);
    out.set(engine.coefficients.subarray(0, to - from), from);
  });
  return out;
}
