import { sumError } from '../rounding/index.js';
import { isSparse, noSuchRow, rowAt, rowCount, type Matrix, type Rows } from './matrix.js';

/**
 * Calls `use(position, row)` for the chosen rows in order.
 * @throws {InvalidParameter} for a row that does not exist.
 */
export function eachRow(X: Matrix, rows: Rows, use: (position: number, row: number) => void): void {
  for (let position = 0; position < rowCount(rows); position++) {
    const row = rowAt(rows, position);
    if (row >= X.rows) throw noSuchRow(X.rows);
    use(position, row);
  }
}

/** `⟨x_row, w⟩`. */
export function dotRow(X: Matrix, row: number, w: Float64Array): number {
  let sum = 0;
  if (isSparse(X)) {
    const end = X.rowStarts[row + 1];
    for (let k = X.rowStarts[row]; k < end; k++) sum += X.values[k] * w[X.columnIndices[k]];
    return sum;
  }
  let at = X.offset + row * X.rowStride;
  for (let j = 0; j < X.columns; j++, at += X.columnStride) sum += X.data[at] * w[j];
  return sum;
}

/** `out += factor · x_row`. */
export function addRow(X: Matrix, row: number, factor: number, out: Float64Array): void {
  if (isSparse(X)) {
    const end = X.rowStarts[row + 1];
    for (let k = X.rowStarts[row]; k < end; k++) out[X.columnIndices[k]] += factor * X.values[k];
    return;
  }
  let at = X.offset + row * X.rowStride;
  for (let j = 0; j < X.columns; j++, at += X.columnStride) out[j] += factor * X.data[at];
}

/** `x_row[column]`, by search in a sparse row. */
export function elementOf(X: Matrix, row: number, column: number): number {
  if (!isSparse(X)) return X.data[X.offset + row * X.rowStride + column * X.columnStride];
  const end = X.rowStarts[row + 1];
  const place = placeOf(X.columnIndices, column, X.rowStarts[row], end);
  return place < end && X.columnIndices[place] === column ? X.values[place] : 0;
}

/** The first place from `from` to `to` whose entry is at least `value`, in a list that ascends there. */
function placeOf(list: Uint32Array, value: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a list ascends strictly. */
export const ascends = (list: Uint32Array): boolean =>
  list.every((value, k) => k === 0 || value > list[k - 1]);

/** `out[c] += factor · x_row[coordinates[c]]`; `ascending` where the coordinates ascend strictly. */
export function addCoordinates(
  X: Matrix,
  row: number,
  factor: number,
  coordinates: Uint32Array,
  ascending: boolean,
  out: Float64Array,
): void {
  if (isSparse(X) && ascending && X.rowStarts[row + 1] - X.rowStarts[row] < coordinates.length) {
    for (let k = X.rowStarts[row]; k < X.rowStarts[row + 1]; k++) {
      const c = placeOf(coordinates, X.columnIndices[k], 0, coordinates.length);
      if (coordinates[c] === X.columnIndices[k]) out[c] += factor * X.values[k];
    }
    return;
  }
  for (let c = 0; c < coordinates.length; c++) out[c] += factor * elementOf(X, row, coordinates[c]);
}

/** `‖x_row‖` over all columns, or over `coordinates`. */
export function rowNorm(
  X: Matrix,
  row: number,
  norm: 'l1' | 'l2' | 'linf',
  coordinates?: Uint32Array,
): number {
  if (norm === 'l2') return scaledNorm(X, row, coordinates);
  let result = 0;
  let compensation = 0;
  eachValue(X, row, coordinates, (value) => {
    const size = Math.abs(value);
    if (norm === 'linf') result = Math.max(result, size);
    else {
      const next = result + size;
      if (next < Infinity) compensation += sumError(result, size, next);
      result = next;
    }
  });
  return result + compensation;
}

/**
 * `‖x_row‖₂` over all columns, or over `coordinates`. Scaled, so that squares neither overflow nor vanish.
 */
export function scaledNorm(X: Matrix, row: number, coordinates?: Uint32Array): number {
  let largest = 0;
  let sum = 0;
  const take = (value: number): void => {
    const size = Math.abs(value);
    if (size === 0) return;
    if (size <= largest) sum += (size / largest) ** 2;
    else {
      sum = largest === 0 ? 1 : 1 + sum * (largest / size) ** 2;
      largest = size;
    }
  };
  eachValue(X, row, coordinates, take);
  return Number.isFinite(largest) ? largest * Math.sqrt(sum) : largest;
}

/** Calls `take` with the entries of a row, or of those at `coordinates`. */
function eachValue(
  X: Matrix,
  row: number,
  coordinates: Uint32Array | undefined,
  take: (value: number) => void,
): void {
  if (coordinates !== undefined) coordinates.forEach((column) => take(elementOf(X, row, column)));
  else if (isSparse(X)) for (let k = X.rowStarts[row]; k < X.rowStarts[row + 1]; k++) take(X.values[k]);
  else
    for (let j = 0, at = X.offset + row * X.rowStride; j < X.columns; j++, at += X.columnStride)
      take(X.data[at]);
}
