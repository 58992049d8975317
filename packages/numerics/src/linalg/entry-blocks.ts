import { InvalidParameter } from '../errors.js';
import { noSuchRow, requireShapes, rowAt, rowCount, type CsrMatrix, type Rows } from './matrix.js';

/**
 * The entries of few sparse rows by blocks of columns. Margins then read a long point from its beginning to
 * its end, and a sum `Σ r[i] · x`, which is zero almost everywhere, is made block by block in the first
 * cache and lies nowhere as a whole.
 */
export interface EntryBlocks {
  /**
   * Takes the entries of these rows in place of those before.
   * @throws {InvalidParameter} for a row that does not exist, or rows of other columns.
   */
  take(X: CsrMatrix, rows: Rows): void;
  /**
   * `out[i] = ⟨x, w⟩` for the i-th of the rows.
   *
   * @param w - `[columns]`.
   * @param out - `[number of rows]`, returned.
   */
  margins(w: Float64Array, out: Float64Array): Float64Array;
  /**
   * `out[j] += Σ r[i] · x` in column `width · block + j`, in the order of the rows. A row with coefficient
   * zero adds exactly nothing.
   *
   * @param r - `[number of rows]`.
   * @param out - As long as the block.
   */
  addTo(out: Float64Array, r: Float64Array, block: number): void;
}

/**
 * No entries yet, of rows with so many `columns`.
 *
 * @param width - Columns of a block, a power of two; the last block may be shorter.
 */
export function entryBlocks(columns: number, width: number): EntryBlocks {
  const shift = Math.log2(width);
  /** Where each block's entries end, and while they are placed where its next one goes. */
  const ends = new Uint32Array(Math.ceil(columns / width) + 1);
  let places = new Uint32Array(0);
  let owners = new Uint32Array(0);
  let values = new Float64Array(0);
  return {
    take(X, rows) {
      requireShapes(X, rows, {});
      if (X.columns !== columns)
        throw new InvalidParameter(`rows of ${X.columns} columns were given where ${columns} are meant`, {
          given: X.columns,
          columns,
        });
      const count = countInto(ends, X, rows, shift);
      if (count > values.length) {
        places = new Uint32Array(2 * count);
        owners = new Uint32Array(2 * count);
        values = new Float64Array(2 * count);
      }
      place(X, rows, { shift, ends, places, owners, values });
    },
    margins(w, out) {
      out.fill(0);
      const to = ends[ends.length - 1];
      for (let k = 0; k < to; k++) out[owners[k]] += values[k] * w[places[k]];
      return out;
    },
    addTo(out, r, block) {
      const first = block << shift;
      const to = ends[block];
      for (let k = block === 0 ? 0 : ends[block - 1]; k < to; k++) {
        const factor = r[owners[k]];
        if (factor !== 0) out[places[k] - first] += factor * values[k];
      }
    },
  };
}

/** Rows whose entries are fetched together: they stay in the second cache until they are counted. */
const together = 256;
/** Indices in a line of the caches. */
const line = 16;

/**
 * Writes where each block's entries begin, shifted by one. Rows at random places are read twice: first so
 * that what is fetched for one waits for no other; their values are read when they are placed.
 *
 * @returns the number of all entries.
 */
function countInto(ends: Uint32Array, X: CsrMatrix, rows: Rows, shift: number): number {
  const { rowStarts, columnIndices, values } = X;
  const count = rowCount(rows);
  for (let begin = 0; begin < count; begin += together) {
    const last = Math.min(count, begin + together);
    let read = 0;
    for (let i = begin; i < last; i++) {
      const row = rowAt(rows, i);
      if (row >= X.rows) throw noSuchRow(X.rows);
      read += rowStarts[row];
    }
    for (let i = begin; i < last; i++) {
      const row = rowAt(rows, i);
      const to = rowStarts[row + 1];
      for (let k = rowStarts[row]; k < to; k += line) {
        read += columnIndices[k] + values[k];
        if (k + line / 2 < to) read += values[k + line / 2];
      }
    }
    ends[0] = read; // overwritten: without a use, nothing would be read
    if (begin === 0) ends.fill(0);
    for (let i = begin; i < last; i++) {
      const row = rowAt(rows, i);
      const to = rowStarts[row + 1];
      for (let k = rowStarts[row]; k < to; k++) ends[(columnIndices[k] >>> shift) + 1]++;
    }
  }
  if (count === 0) ends.fill(0);
  ends[0] = 0;
  for (let block = 1; block < ends.length; block++) ends[block] += ends[block - 1];
  return ends[ends.length - 1];
}

/** Afterwards `ends` are the ends: each has moved from the beginning of its block past all its entries. */
function place(
  { rowStarts, columnIndices, values: given }: CsrMatrix,
  rows: Rows,
  {
    shift,
    ends,
    places,
    owners,
    values,
  }: {
    readonly shift: number;
    readonly ends: Uint32Array;
    readonly places: Uint32Array;
    readonly owners: Uint32Array;
    readonly values: Float64Array;
  },
): void {
  const count = rowCount(rows);
  for (let i = 0; i < count; i++) {
    const row = rowAt(rows, i);
    const to = rowStarts[row + 1];
    for (let k = rowStarts[row]; k < to; k++) {
      const column = columnIndices[k];
      const at = ends[column >>> shift]++;
      places[at] = column;
      owners[at] = i;
      values[at] = given[k];
    }
  }
}
