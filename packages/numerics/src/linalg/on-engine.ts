import { engineOf, type Engine } from './arena.js';
import { CHUNK } from './kernels.wasm.js';
import {
  isSparse,
  noSuchRow,
  requireInside,
  rowCount,
  type Matrix,
  type MatrixView,
  type Rows,
} from './matrix.js';

/**
 * The engine for `X`, or null. It needs a dense matrix in an arena with contiguous rows (any row stride), no
 * wider than the arena's scratch.
 */
export function engineFor(X: Matrix): Engine | null {
  if (isSparse(X)) return null;
  if (X.columnStride !== 1 && X.columns !== 1) return null;
  const engine = engineOf(X.data);
  if (engine === null || X.columns > engine.width || X.columns === 0 || X.rows === 0) return null;
  requireInside(X);
  return engine;
}

/**
 * Byte address of `array` for the kernels of `engine`: its own address if it lies in that arena, else the
 * address of a copy in `scratch`.
 */
export function addressOf(engine: Engine, array: Float64Array, scratch: Float64Array): number {
  if (engineOf(array) === engine) return array.byteOffset;
  scratch.set(array);
  return scratch.byteOffset;
}

/** Address of the first row of a matrix in an arena, and bytes from one row to the next. */
export function placeOf({ data, offset, rowStride }: MatrixView): { base: number; rowBytes: number } {
  const bytes = data.BYTES_PER_ELEMENT;
  return { base: data.byteOffset + bytes * offset, rowBytes: bytes * rowStride };
}

/** Calls `use` for every chunk of at most CHUNK positions. */
export function eachChunk(rows: Rows, use: (from: number, to: number) => void): void {
  const count = rowCount(rows);
  for (let from = 0; from < count; from += CHUNK) use(from, Math.min(count, from + CHUNK));
}

/**
 * Writes the row addresses for positions `[from, to)` of `rows`; returns the address of the indices (0 for
 * contiguous rows).
 */
export function pointTo(engine: Engine, X: MatrixView, rows: Rows, from: number, to: number): number {
  const { base, rowBytes } = placeOf(X);
  const count = to - from;
  if (!(rows instanceof Uint32Array)) {
    engine.kernels.pointers(base, rowBytes, X.rows, 0, rows.from + from, count);
    return 0;
  }
  let indices = engine.rowIndices.byteOffset;
  if (rows.buffer === engine.memory.buffer) indices = rows.byteOffset + 4 * from;
  else engine.rowIndices.set(count === rows.length ? rows : rows.subarray(from, to));
  if (engine.kernels.pointers(base, rowBytes, X.rows, indices, 0, count) === 0) throw noSuchRow(X.rows);
  return indices;
}
