import { Unsupported } from '../errors.js';
import { arenaOf, createArena, engineOf, type Arena, type Engine } from './arena.js';
import type { MatrixView } from './matrix.js';

/** Columns of a dense matrix, and auxiliary arrays with one number per row. */
export interface Columns {
  /** The kernels for all these arrays, or null if they lie outside every arena. */
  readonly engine: Engine | null;
  readonly rows: number;
  readonly count: number;
  /** Column `j`: a view if columns are contiguous, else a copy made on first use. */
  column(j: number): Float64Array;
  /** A zero-filled array with one number per row. */
  beside(): Float64Array;
}

/**
 * @param arrays - Maximum number of auxiliary arrays.
 */
export function columnsOf(X: MatrixView, arrays: number): Columns {
  const { data, rows, columns, offset, rowStride, columnStride } = X;
  const arena = arenaOf(data);
  // Kernels along columns read 64 bits: a column of 32 is widened as it is copied.
  const isDirect =
    data instanceof Float64Array && rowStride === 1 && arena !== null && arena.free >= arrays * (rows + 8);
  const kept: (Float64Array | undefined)[] = Array.from({ length: columns });
  if (isDirect) {
    return {
      engine: engineOf(data),
      rows,
      count: columns,
      column: (j) => (kept[j] ??= data.subarray(offset + j * columnStride, offset + j * columnStride + rows)),
      beside: () => arena.allocate(rows),
    };
  }
  const own = roomFor((columns + arrays) * (rows + 8));
  const beside = (): Float64Array => own?.allocate(rows) ?? new Float64Array(rows);
  const engine = own === null ? null : engineOf(own.allocate(0));
  return {
    engine,
    rows,
    count: columns,
    beside,
    column(j) {
      const known = kept[j];
      if (known !== undefined) return known;
      const copy = beside();
      for (let i = 0, at = offset + j * columnStride; i < rows; i++, at += rowStride) copy[i] = data[at];
      return (kept[j] = copy);
    },
  };
}

/** A mostly unused arena; null if the platform cannot allocate it, and plain arrays are used instead. */
function roomFor(doubles: number): Arena | null {
  try {
    return createArena({ doubles, shared: false });
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}
