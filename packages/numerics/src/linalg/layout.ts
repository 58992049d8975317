import { arenaOf, createArena } from './arena.js';
import { type MatrixView } from './matrix.js';

/** Whether a matrix is contiguous by columns, and not by rows. */
export const isByColumns = ({ rows, columns, rowStride, columnStride }: MatrixView): boolean =>
  rowStride === 1 && columnStride === rows && rows > 1 && columns > 1;

const isByRows = ({ columns, rowStride, columnStride }: MatrixView): boolean =>
  columnStride === 1 && rowStride === columns;

/** Number of arrays with one number per row: labels, norms, and the caches of partial gradients. */
const ARRAYS = 8;
/**
 * Memory for the entries of a matrix, `[rows · columns]` in a new arena, which also has room for arrays with
 * one number a row and for the kernels' scratch: kernels read matrix and labels in one memory.
 */
export const matrixMemory = (rows: number, columns: number): Float64Array =>
  createArena({ doubles: rows * columns + ARRAYS * (rows + 8) + 64 * columns + 65_536 }).allocate(
    rows * columns,
  );

/**
 * The view itself if it is contiguous in an arena, else such a copy: by columns if they are contiguous, else
 * by rows.
 */
export function inArena(view: MatrixView): MatrixView {
  const { rows, columns, data, offset, rowStride, columnStride } = view;
  if (arenaOf(data) !== null && (isByRows(view) || isByColumns(view))) return view;
  if (rowStride !== 1 || rows === 1 || columns === 1) return copyByRows(view);
  const own = matrixMemory(rows, columns);
  for (let j = 0; j < columns; j++)
    own.set(data.subarray(offset + j * columnStride, offset + j * columnStride + rows), j * rows);
  return { data: own, rows, columns, offset: 0, rowStride: 1, columnStride: rows };
}

/** A copy by rows, in a new arena. */
export const copyByRows = (view: MatrixView): MatrixView => {
  const { rows, columns } = view;
  const copy = {
    data: matrixMemory(rows, columns),
    rows,
    columns,
    offset: 0,
    rowStride: columns,
    columnStride: 1,
  };
  const step = isByRows(view) ? rows : LINE;
  for (let from = 0; from < rows; from += step)
    copyRowsInto({ ...copy, offset: from * columns, rows: Math.min(step, rows - from) }, view, from);
  return copy;
};

/** Rows per cache line of a column. */
const LINE = 8;

function copyRowsInto(
  target: MatrixView,
  { data, offset, rowStride, columnStride }: MatrixView,
  from: number,
): void {
  const { rows, columns } = target;
  if (columnStride === 1 && rowStride === columns) {
    const first = offset + from * columns;
    target.data.set(data.subarray(first, first + rows * columns), target.offset);
    return;
  }
  for (let i = 0, k = target.offset; i < rows; i++) {
    for (let j = 0, at = offset + (from + i) * rowStride; j < columns; j++, k++, at += columnStride)
      target.data[k] = data[at];
  }
}

const BLOCK = 64;

/**
 * Calls `use` with all rows in order, contiguous by rows: in one block if stored so, else in temporary
 * blocks.
 */
export function eachBlockOfRows(matrix: MatrixView, use: (block: MatrixView, from: number) => void): void {
  if (!isByColumns(matrix)) {
    use(matrix, 0);
    return;
  }
  const { rows, columns } = matrix;
  const data = createArena({ doubles: BLOCK * columns, shared: false }).allocate(BLOCK * columns);
  for (let from = 0; from < rows; from += BLOCK) {
    const block = {
      data,
      rows: Math.min(BLOCK, rows - from),
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    };
    for (let part = 0; part < block.rows; part += LINE) {
      copyRowsInto(
        { ...block, offset: part * columns, rows: Math.min(LINE, block.rows - part) },
        matrix,
        from + part,
      );
    }
    use(block, from);
  }
}
