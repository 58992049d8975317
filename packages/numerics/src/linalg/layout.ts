import { arenaOf, createArena } from './arena.js';
import { type MatrixView } from './matrix.js';

/** Columns follow one another without gaps, and rows do not. */
export const isByColumns = ({ rows, columns, rowStride, columnStride }: MatrixView): boolean => rowStride === 1 && columnStride === rows && rows > 1 && columns > 1;

const isByRows = ({ columns, rowStride, columnStride }: MatrixView): boolean => columnStride === 1 && rowStride === columns;

/** Arrays of one number a row for labels, norms, and what gradients of few coordinates keep. */
const ARRAYS = 8;
/** Room for a copy in an arena of its own, which has room for these too, and for what the kernels need beside the matrix. */
const roomFor = ({ rows, columns }: MatrixView): Float64Array => createArena({ doubles: rows * columns + ARRAYS * (rows + 8) + 64 * columns + 65_536 }).allocate(rows * columns);

/** The view itself if it lies in an arena without gaps, else a copy that does: by columns where they are contiguous, by rows otherwise. */
export function inArena(view: MatrixView): MatrixView {
  const { rows, columns, data, offset, rowStride, columnStride } = view;
  if (arenaOf(data) !== null && (isByRows(view) || isByColumns(view))) return view;
  if (rowStride !== 1 || rows === 1 || columns === 1) return copyByRows(view);
  const own = roomFor(view);
  for (let j = 0; j < columns; j++) own.set(data.subarray(offset + j * columnStride, offset + j * columnStride + rows), j * rows);
  return { data: own, rows, columns, offset: 0, rowStride: 1, columnStride: rows };
}

/** A copy by rows, in an arena of its own. */
export const copyByRows = (view: MatrixView): MatrixView => {
  const { rows, columns } = view;
  const copy = { data: roomFor(view), rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
  for (let from = 0; from < rows; from += LINE) copyRowsInto({ ...copy, offset: from * columns, rows: Math.min(LINE, rows - from) }, view, from);
  return copy;
};

/** Rows that a cache line of a column holds. */
const LINE = 8;

function copyRowsInto(target: MatrixView, { data, offset, rowStride, columnStride }: MatrixView, from: number): void {
  const { rows, columns } = target;
  for (let i = 0, k = target.offset; i < rows; i++) {
    for (let j = 0, at = offset + (from + i) * rowStride; j < columns; j++, k++, at += columnStride) target.data[k] = data[at]!;
  }
}

const BLOCK = 64;

/** Calls `use` with all rows in order, by rows without gaps: at once where they lie so, else in copies of a few that are lent. */
export function eachBlockOfRows(matrix: MatrixView, use: (block: MatrixView, from: number) => void): void {
  if (!isByColumns(matrix)) {
    use(matrix, 0);
    return;
  }
  const { rows, columns } = matrix;
  const data = createArena({ doubles: BLOCK * columns, shared: false }).allocate(BLOCK * columns);
  for (let from = 0; from < rows; from += BLOCK) {
    const block = { data, rows: Math.min(BLOCK, rows - from), columns, offset: 0, rowStride: columns, columnStride: 1 };
    for (let part = 0; part < block.rows; part += LINE) {
      copyRowsInto({ ...block, offset: part * columns, rows: Math.min(LINE, block.rows - part) }, matrix, from + part);
    }
    use(block, from);
  }
}
