import { arenaOf, createArena, type Arena } from './arena.js';
import { to32Bits } from '../rounding/index.js';
import { precisionOf, type MatrixView, type Numbers, type Precision } from './matrix.js';

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
  numbersIn(memoryFor(rows, columns, 64), rows * columns, 64) as Float64Array;

const memoryFor = (rows: number, columns: number, precision: Precision): Arena => {
  const numbers = Math.ceil((rows * columns * precision) / 64);
  return createArena({ doubles: numbers + ARRAYS * (rows + 8) + 64 * columns + 65_536 });
};

/** Memory in an arena for so many numbers of a precision. */
export const numbersIn = (arena: Arena, length: number, precision: Precision): Numbers =>
  precision === 32 ? arena.allocateSingles(length) : arena.allocate(length);

/**
 * The view itself if it is contiguous in an arena, else such a copy: by columns if they are contiguous, else
 * by rows.
 *
 * @param precision - Bits of the numbers; those of 64 bits are rounded to 32 as {@link to32Bits} does.
 * @defaultValue those of the view
 */
export function inArena(view: MatrixView, precision = precisionOf(view)): MatrixView {
  const { rows, columns, data, offset, rowStride, columnStride } = view;
  const isKept = precision === precisionOf(view);
  if (isKept && arenaOf(data) !== null && (isByRows(view) || isByColumns(view))) return view;
  if (rowStride !== 1 || rows === 1 || columns === 1) return copyByRows(view, precision);
  const own = numbersIn(memoryFor(rows, columns, precision), rows * columns, precision);
  for (let j = 0; j < columns; j++)
    put(own, j * rows, data.subarray(offset + j * columnStride, offset + j * columnStride + rows));
  return { data: own, rows, columns, offset: 0, rowStride: 1, columnStride: rows };
}

/** A copy by rows, in a new arena. @param precision - As of {@link inArena}. */
export const copyByRows = (view: MatrixView, precision = precisionOf(view)): MatrixView => {
  const { rows, columns } = view;
  const copy = {
    data: numbersIn(memoryFor(rows, columns, precision), rows * columns, precision),
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
    put(target.data, target.offset, data.subarray(first, first + rows * columns));
    return;
  }
  const isRounded = rounds(target.data, data);
  for (let i = 0, k = target.offset; i < rows; i++) {
    for (let j = 0, at = offset + (from + i) * rowStride; j < columns; j++, k++, at += columnStride)
      target.data[k] = isRounded ? to32Bits(data[at]) : data[at];
  }
}

/** Whether numbers are rounded on their way from one array to the other. */
const rounds = (target: Numbers, source: Numbers): boolean =>
  target instanceof Float32Array && source instanceof Float64Array;

/** Copies numbers to the places from `from` on. */
function put(target: Numbers, from: number, source: Numbers): void {
  if (rounds(target, source)) for (let k = 0; k < source.length; k++) target[from + k] = to32Bits(source[k]);
  else target.set(source, from);
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
  const arena = createArena({ doubles: BLOCK * columns, shared: false });
  const data = numbersIn(arena, BLOCK * columns, precisionOf(matrix));
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
