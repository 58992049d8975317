import { createArena, engineOf, type Engine } from './arena.js';
import { noSuchRow, rowCount, type CsrMatrix, type Matrix, type Rows } from './matrix.js';
import { eachChunk } from './on-engine.js';

/**
 * Matrices by their columns, as they were checked when they were copied into an arena, with the starts that
 * the kernels read; they read no other matrix.
 */
const checked = new WeakMap<Uint32Array, { readonly X: CsrMatrix; readonly starts: Uint32Array }>();

/** Bytes of an arena that sparse rows may take; larger matrices stay outside, where plain loops work. */
const most = 3.5 * 2 ** 30;
/** Arrays with one number per row that are to find room beside the rows: labels, norms, … */
const ARRAYS = 8;
/** Doubles for a block of a long vector beside the vector itself, and for what alignment takes. */
const BLOCK = 2048 + 64;

/**
 * A copy of sparse rows. It lies in a new arena, with room for a point and for arrays with a number per row,
 * if it is well formed and fits there: starts that never fall, from 0 to the number of values, and columns of
 * the matrix. Otherwise the copy is of the arrays as they are.
 */
export function sparseInArena({ rows, columns, rowStarts, columnIndices, values }: CsrMatrix): CsrMatrix {
  const room = values.length + (rowStarts.length + columnIndices.length) / 2 + ARRAYS * (rows + 8);
  const doubles = Math.ceil(room) + columns + BLOCK;
  const plain = (): CsrMatrix => ({
    rows,
    columns,
    rowStarts: rowStarts.slice(),
    columnIndices: columnIndices.slice(),
    values: values.slice(),
  });
  if (8 * (doubles + 3 * columns) > most || columnIndices.length !== values.length) return plain();
  const starts = rowStarts.slice();
  if (!areStarts(starts, rows, values.length)) return { ...plain(), rowStarts: starts };
  const arena = createArena({ doubles, width: columns, shared: false });
  const copy = {
    rows,
    columns,
    rowStarts: starts,
    columnIndices: arena.allocateIndices(columnIndices.length),
    values: arena.allocate(values.length),
  };
  const kernelStarts = arena.allocateIndices(starts.length);
  kernelStarts.set(starts);
  copy.columnIndices.set(columnIndices);
  copy.values.set(values);
  if (copy.columnIndices.every((column) => column < columns))
    checked.set(copy.columnIndices, { X: copy, starts: kernelStarts });
  return copy;
}

function areStarts(starts: CsrMatrix['rowStarts'], rows: number, end: number): boolean {
  if (starts.length !== rows + 1 || starts[0] !== 0 || starts[rows] !== end) return false;
  for (let row = 0; row < rows; row++) {
    if (!(starts[row + 1] >= starts[row] && Number.isInteger(starts[row + 1]))) return false;
  }
  return true;
}

/** Sparse rows that the kernels can read, with the kernels of their arena. */
export interface SparseOnEngine {
  readonly engine: Engine;
  /** Byte addresses of starts, columns and values. */
  readonly at: readonly [starts: number, columns: number, values: number];
}

/** The engine for sparse rows made by {@link sparseInArena}, or null. */
export function sparseEngineFor(X: Matrix): SparseOnEngine | null {
  if (!('rowStarts' in X)) return null;
  const { rows, columns, rowStarts, columnIndices, values } = X;
  const known = checked.get(columnIndices);
  if (known === undefined || known.X.rows !== rows || known.X.columns !== columns) return null;
  const engine = known.X.rowStarts === rowStarts && known.X.values === values ? engineOf(values) : null;
  if (engine === null) return null;
  return { engine, at: [known.starts.byteOffset, columnIndices.byteOffset, values.byteOffset] };
}

/** Whether so few entries are meant that a copy of a whole point would cost more than plain loops. */
export function touchesFew(X: CsrMatrix, rows: Rows): boolean {
  const average = X.values.length / Math.max(1, X.rows);
  return 16 * rowCount(rows) * Math.max(1, average) < X.columns;
}

/**
 * Calls `use` for every chunk of rows: with the address of a list of rows, or 0 and the first of a range.
 *
 * @throws {InvalidParameter} for a row that does not exist.
 */
export function eachSparseChunk(
  { engine }: SparseOnEngine,
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
export function targetOf(engine: Engine, out: Float64Array): { readonly address: number; back(): void } {
  if (out.buffer === engine.memory.buffer) return { address: out.byteOffset, back: () => undefined };
  const copy = engine.partial.subarray(0, out.length);
  copy.set(out);
  return { address: copy.byteOffset, back: () => out.set(copy) };
}
