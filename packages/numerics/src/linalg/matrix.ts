import type { NdArray } from 'ndarray';
import { InvalidParameter } from '../errors.js';

/** Bits of a number in which rows are kept. Arithmetic is that of 64 bits, whatever they are kept in. */
export type Precision = 32 | 64;

/** Numbers of dense rows, of 64 bits or of 32. */
export type Numbers = Float64Array | Float32Array;

/** An array of so many numbers of a precision. */
export const numbersOf = (length: number, precision: Precision): Numbers =>
  precision === 32 ? new Float32Array(length) : new Float64Array(length);

/**
 * A dense matrix: element (i, j) is
 * `data[offset + i * rowStride + j * columnStride]`. Strides may be negative or zero.
 */
export interface MatrixView {
  readonly data: Numbers;
  readonly rows: number;
  readonly columns: number;
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
  /**
   * Rows of the matrix of which these are some: sums over them are made in its order. @defaultValue `rows`
   */
  readonly whole?: number;
}

/**
 * A sparse matrix by rows: row i has `values[k]` in column `columnIndices[k]` for
 * `rowStarts[i] <= k < rowStarts[i + 1]`. Columns ascend in a row.
 */
export interface CsrMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly rowStarts: Uint32Array | Float64Array;
  readonly columnIndices: Uint32Array;
  readonly values: Float64Array;
}

/** A dense or a sparse matrix. */
export type Matrix = MatrixView | CsrMatrix;

/** Selected rows in order: a range `[from, to)`, or a list, which may repeat rows. */
export type Rows = { readonly from: number; readonly to: number } | Uint32Array;

/** The bits in which the numbers of a dense matrix are kept. */
export const precisionOf = ({ data }: Pick<MatrixView, 'data'>): Precision =>
  data instanceof Float32Array ? 32 : 64;

export const isSparse = (X: Matrix): X is CsrMatrix => 'rowStarts' in X;
export const rowCount = (rows: Rows): number =>
  rows instanceof Uint32Array ? rows.length : rows.to - rows.from;
export const rowAt = (rows: Rows, position: number): number =>
  rows instanceof Uint32Array ? rows[position] : rows.from + position;

/** The rows at positions `[from, to)` of `rows`. */
export const rowsBetween = (rows: Rows, from: number, to: number): Rows =>
  rows instanceof Uint32Array ? rows.subarray(from, to) : { from: rows.from + from, to: rows.from + to };

/**
 * A two-dimensional ndarray as a matrix; nothing is copied.
 *
 * @throws {InvalidParameter} unless it has two dimensions and holds a Float64Array or a Float32Array.
 */
export function viewOf(array: Pick<NdArray<Numbers>, 'data' | 'shape' | 'stride' | 'offset'>): MatrixView {
  const { data, shape, stride, offset } = array;
  if (shape.length !== 2)
    throw new InvalidParameter(
      `a matrix has 2 dimensions, this array has ${shape.length}; pick or reshape it`,
      { shape: [...shape] },
    );
  if (!(data instanceof Float64Array || data instanceof Float32Array))
    throw new InvalidParameter(
      'a matrix holds numbers of 64 or 32 bits; copy the data into a Float64Array or a Float32Array',
      {},
    );
  const view = {
    data,
    rows: shape[0],
    columns: shape[1],
    offset,
    rowStride: stride[0],
    columnStride: stride[1],
  };
  requireInside(view);
  return view;
}

/** @throws {InvalidParameter} when an element of the matrix would lie outside its data. */
export function requireInside({ data, rows, columns, offset, rowStride, columnStride }: MatrixView): void {
  if (rows === 0 || columns === 0) return;
  const lastRow = (rows - 1) * rowStride;
  const lastColumn = (columns - 1) * columnStride;
  const first = offset + Math.min(0, lastRow) + Math.min(0, lastColumn);
  const last = offset + Math.max(0, lastRow) + Math.max(0, lastColumn);
  if (!(first >= 0 && last < data.length)) {
    throw new InvalidParameter(
      `a ${rows} by ${columns} matrix with these strides does not fit in ${data.length} numbers`,
      { rows, columns, offset, rowStride, columnStride },
    );
  }
}

/**
 * @throws {InvalidParameter} unless every row exists and `length` (of the array called `what`) is `needed`.
 */
export function requireShapes(
  X: Matrix,
  rows: Rows,
  lengths: Readonly<Record<string, readonly [given: number, needed: number]>>,
): void {
  if (
    !(rows instanceof Uint32Array) &&
    !(
      Number.isInteger(rows.from) &&
      Number.isInteger(rows.to) &&
      0 <= rows.from &&
      rows.from <= rows.to &&
      rows.to <= X.rows
    )
  ) {
    throw new InvalidParameter(`rows [${rows.from}, ${rows.to}) are not among the ${X.rows} of the matrix`, {
      from: rows.from,
      to: rows.to,
      rows: X.rows,
    });
  }
  for (const what in lengths) {
    const [given, needed] = lengths[what];
    if (given !== needed)
      throw new InvalidParameter(`${what} has ${given} entries, ${needed} are needed`, {
        what,
        given,
        needed,
      });
  }
}

export const noSuchRow = (rows: number): InvalidParameter =>
  new InvalidParameter(`a row index is outside the matrix, which has ${rows} rows`, { rows });
