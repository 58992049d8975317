import type { Engine } from './arena.js';
import { noSuchRow, type CsrMatrix, type Rows } from './matrix.js';
import { addressOf, eachChunk } from './on-engine.js';
import type { SparseSums } from './sparse-kernels.js';

/**
 * The sums of a checked matrix whose columns and values lie in the arena of `engine`.
 *
 * @param starts - Its row starts, in that arena too.
 */
export function sparseSums(X: CsrMatrix, engine: Engine, starts: Uint32Array): SparseSums {
  const { kernels } = engine;
  const at = [starts.byteOffset, X.columnIndices.byteOffset, X.values.byteOffset] as const;
  return {
    engine,
    margins(w, rows, out) {
      const atW = addressOf(engine, w, engine.iterate);
      eachSparseChunk(engine, X, rows, ({ indices, first, from, count }) => {
        kernels.sparseMargins(...at, indices, first, 0, count, atW);
        out.set(engine.coefficients.subarray(0, count), from);
      });
      return out;
    },
    accumulate(r, rows, out) {
      const target = targetOf(engine, out);
      eachSparseChunk(engine, X, rows, ({ indices, first, from, count }) => {
        engine.coefficients.set(r.subarray(from, from + count));
        kernels.sparseAccumulate(...at, indices, first, 0, count, target.address);
      });
      target.back();
      return out;
    },
    clippedGradient({ labels, norms, w, rows, radius, slope, out }) {
      const atW = addressOf(engine, w, engine.iterate);
      const target = targetOf(engine, out);
      const kind = slope === 'squared' ? 1 : 0;
      eachSparseChunk(engine, X, rows, ({ indices, first, count }) =>
        kernels.sparseClippedGradient(
          kind,
          labels.byteOffset,
          norms.byteOffset,
          ...at,
          indices,
          first,
          count,
          atW,
          1 / radius,
          target.address,
        ),
      );
      target.back();
    },
    clippedPair({ labels, norms, terms, rows, radius, slope, out }) {
      const [first, second] = terms;
      const atW = addressOf(engine, first.at, engine.iterate);
      const atV = addressOf(engine, second.at, engine.otherPoint);
      const target = targetOf(engine, out);
      eachSparseChunk(engine, X, rows, ({ indices, first: from, count }) =>
        kernels.sparseClippedPair(
          slope === 'squared' ? 1 : 0,
          labels.byteOffset,
          norms.byteOffset,
          ...at,
          indices,
          from,
          count,
          atW,
          atV,
          first.weight,
          second.weight,
          1 / radius,
          target.address,
        ),
      );
      target.back();
    },
  };
}

/**
 * Calls `use` for every chunk of rows: with the address of a list of rows, or 0 and the first of a range.
 *
 * @throws {InvalidParameter} for a row that does not exist.
 */
function eachSparseChunk(
  engine: Engine,
  X: CsrMatrix,
  rows: Rows,
  use: (chunk: {
    readonly indices: number;
    readonly first: number;
    readonly from: number;
    readonly count: number;
  }) => void,
): void {
  eachChunk(rows, (from, to) => {
    const count = to - from;
    if (!(rows instanceof Uint32Array)) {
      use({ indices: 0, first: rows.from + from, from, count });
      return;
    }
    const { rowIndices, kernels } = engine;
    rowIndices.set(count === rows.length ? rows : rows.subarray(from, to));
    if (kernels.rowsExist(rowIndices.byteOffset, count, X.rows) === 0) throw noSuchRow(X.rows);
    use({ indices: rowIndices.byteOffset, first: 0, from, count });
  });
}

/**
 * Byte address of an array that the kernels may add to: its own if it lies in the arena, else that of a copy
 * in the engine's partial sum, which `back` brings home.
 */
function targetOf(engine: Engine, out: Float64Array): { readonly address: number; back(): void } {
  if (out.buffer === engine.memory.buffer) return { address: out.byteOffset, back: () => undefined };
  const copy = engine.partial.subarray(0, out.length);
  copy.set(out);
  return { address: copy.byteOffset, back: () => out.set(copy) };
}
