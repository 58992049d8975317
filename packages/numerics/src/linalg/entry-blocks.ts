import { noSuchRow, requireShapes, rowAt, rowCount, type CsrMatrix, type Rows } from './matrix.js';

/**
 * The entries of a sum `Σ r[i] · x` over few sparse rows, by blocks of columns: a long vector is then made
 * block by block in the first cache, and one that is zero almost everywhere lies nowhere as a whole.
 */
export interface EntryBlocks {
  /**
   * Takes the entries of a sum in place of those before. A row with coefficient zero is not read.
   *
   * @param r - `[number of rows chosen]`.
   * @throws {InvalidParameter} when a length does not fit or a row does not exist.
   */
  take(X: CsrMatrix, r: Float64Array, rows: Rows): void;
  /**
   * `out[j] +=` the entries of column `width · block + j`, in the order of the rows.
   *
   * @param out - As long as the block.
   */
  addTo(out: Float64Array, block: number): void;
  /** Forgets all entries. */
  clear(): void;
}

/**
 * No entries yet, of vectors with so many `columns`.
 *
 * @param width - Columns of a block, a power of two; the last block may be shorter.
 */
export function entryBlocks(columns: number, width: number): EntryBlocks {
  const shift = Math.log2(width);
  /** Where each block's entries end, and while they are placed where its next one goes. */
  const ends = new Uint32Array(Math.ceil(columns / width) + 1);
  let places = new Uint32Array(0);
  let values = new Float64Array(0);
  const reserve = (count: number): void => {
    if (count <= values.length) return;
    places = new Uint32Array(2 * count);
    values = new Float64Array(2 * count);
  };
  return {
    take(X, r, rows) {
      requireShapes(X, rows, { r: [r.length, rowCount(rows)] });
      reserve(countInto(ends, X, r, rows, shift));
      place(X, r, rows, { shift, ends, places, values });
    },
    addTo(out, block) {
      const first = block << shift;
      const to = ends[block];
      for (let k = block === 0 ? 0 : ends[block - 1]; k < to; k++) out[places[k] - first] += values[k];
    },
    clear: () => void ends.fill(0),
  };
}

/** Writes where each block's entries begin, shifted by one. @returns the number of all entries. */
function countInto(ends: Uint32Array, X: CsrMatrix, r: Float64Array, rows: Rows, shift: number): number {
  const { rowStarts, columnIndices } = X;
  ends.fill(0);
  for (let i = 0; i < r.length; i++) {
    const row = rowAt(rows, i);
    if (row >= X.rows) throw noSuchRow(X.rows);
    if (r[i] === 0) continue;
    const to = rowStarts[row + 1];
    for (let k = rowStarts[row]; k < to; k++) ends[(columnIndices[k] >>> shift) + 1]++;
  }
  for (let block = 1; block < ends.length; block++) ends[block] += ends[block - 1];
  return ends[ends.length - 1];
}

/** Afterwards `ends` are the ends: each has moved from the beginning of its block past all its entries. */
function place(
  { rowStarts, columnIndices, values: given }: CsrMatrix,
  r: Float64Array,
  rows: Rows,
  {
    shift,
    ends,
    places,
    values,
  }: {
    readonly shift: number;
    readonly ends: Uint32Array;
    readonly places: Uint32Array;
    readonly values: Float64Array;
  },
): void {
  for (let i = 0; i < r.length; i++) {
    const factor = r[i];
    if (factor === 0) continue;
    const row = rowAt(rows, i);
    const to = rowStarts[row + 1];
    for (let k = rowStarts[row]; k < to; k++) {
      const column = columnIndices[k];
      const at = ends[column >>> shift]++;
      places[at] = column;
      values[at] = factor * given[k];
    }
  }
}
