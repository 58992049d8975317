import { createArena, engineOf } from './arena.js';
import type { CsrMatrix } from './matrix.js';
import { addSums } from './sparse-kernels.js';
import { sparseSums } from './sparse-sums.js';

/** Bytes of an arena that sparse rows may take; larger matrices stay outside, where plain loops work. */
const most = 3.5 * 2 ** 30;
/** Arrays with one number per row that are to find room beside the rows: labels, norms, … */
const ARRAYS = 8;
/** Doubles for a block of a long vector beside the vector itself, and for what alignment takes. */
const BLOCK = 2048 + 64;

/**
 * A copy of sparse rows. It lies in a new arena, with room for a point and for arrays with a number per row,
 * if it is well formed and fits there: starts that never fall, from 0 to the number of values, and columns of
 * the matrix. The kernels then come with it. Otherwise the copy is of the arrays as they are.
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
  const engine = engineOf(copy.values);
  if (engine !== null && copy.columnIndices.every((column) => column < columns))
    addSums(copy, sparseSums(copy, engine, kernelStarts));
  return copy;
}

function areStarts(starts: CsrMatrix['rowStarts'], rows: number, end: number): boolean {
  if (starts.length !== rows + 1 || starts[0] !== 0 || starts[rows] !== end) return false;
  for (let row = 0; row < rows; row++) {
    if (!(starts[row + 1] >= starts[row] && Number.isInteger(starts[row + 1]))) return false;
  }
  return true;
}
