import { columnsOf, type Columns } from './columns.js';
import { KEPT_ARRAYS, keepMargins, type MarginCache } from './margin-cache.js';
import { CHUNK } from './kernels.wasm.js';
import type { MatrixView } from './matrix.js';
import { plainRowWork } from './row-work.reference.js';
import { engineRowWork, type Change, type KernelSlope, type RowWork } from './row-work.js';

/** A matrix prepared for partial gradients along few coordinates. */
export interface CoordinateSpace {
  readonly columns: Columns;
  readonly margins: MarginCache;
  readonly work: RowWork;
  /** Scratch of one call: `[columns]`, and `[rows]` from first use. */
  readonly scratch: { readonly point: Float64Array; margins?: Float64Array };
  /** {@link coordinateGradient} of this space, for losses, whose users may never ask for coordinates. */
  gradient(query: CoordinateGradient): Float64Array;
}

/**
 * Opens the columns of a matrix for gradients of single coordinates.
 *
 * @param norms - `[rows of X]`: `‖x_i‖₂`, finite or not.
 * @param coarse - Whether margins with a difference of 10⁻¹³ may count as equal at every magnitude, as for
 * `logistic` slopes.
 */
export function coordinateSpace(
  X: MatrixView,
  norms: Float64Array,
  { coarse }: { readonly coarse: boolean },
): CoordinateSpace {
  const columns = columnsOf(X, KEPT_ARRAYS + 1);
  const work = columns.engine === null ? plainRowWork() : engineRowWork(columns.engine);
  const space: CoordinateSpace = {
    columns,
    margins: keepMargins(columns, norms, coarse),
    work,
    scratch: { point: new Float64Array(columns.count) },
    gradient: (query) => coordinateGradient(space, query),
  };
  return space;
}

/** Arguments of {@link coordinateGradient}. */
export interface CoordinateGradient {
  /** Only rows from `from` to before `to`. */
  readonly rows: { readonly from: number; readonly to: number };
  /** `[columns]`. */
  readonly w: Float64Array;
  readonly coordinates: Uint32Array;
  readonly slope: KernelSlope;
  /**
   * `[rows]`, made by `columns.beside()`: labels for `squared`; 1 and 0 for labels 1 and −1 of `logistic`.
   */
  readonly targets: Float64Array;
  /** ℓ2 bound of one row's part of the gradient. */
  readonly radius: number;
}

/**
 * The sum over rows of slope · x restricted to coordinates, each row's term clipped to ℓ2 norm `radius`; a
 * row with a non-finite margin adds exactly nothing. Reads the requested columns, and the columns whose entry
 * of `w` changed since an earlier call. Results are deterministic bit for bit and do not depend on earlier
 * calls or on the location of the columns.
 *
 * @returns `[coordinates]`.
 */
export function coordinateGradient(
  { columns, margins, work, scratch }: CoordinateSpace,
  query: CoordinateGradient,
): Float64Array {
  const {
    rows: { from, to },
    w,
    coordinates,
    slope,
    targets,
    radius,
  } = query;
  const { z, grid, shared, changes, done } = margins.at(
    slope === 'logistic' ? timesInto(scratch.point, w, Math.LOG2E) : w,
    from,
    to,
  );
  const chosen = Array.from(coordinates, (j) => columns.column(j));
  const out = new Float64Array(chosen.length);
  const [x] = chosen;
  if (x !== undefined && chosen.length === 1) {
    shiftAll(work, z, changes.slice(0, -1), from, to);
    out[0] = work.step({
      slope,
      shared,
      z,
      grid,
      change: changes.at(-1) ?? { column: x, before: 0, after: 0 },
      x,
      targets,
      from,
      to,
      radius,
    });
  } else {
    shiftAll(work, z, changes, from, to);
    for (let start = from; start < to; start += CHUNK) {
      const count = Math.min(CHUNK, to - start);
      addBlock(
        work,
        chosen,
        start,
        count,
        () => work.slopes(slope, z, grid, targets, start, count, 1 / radius),
        out,
      );
    }
  }
  done();
  return out;
}

function timesInto(out: Float64Array, w: Float64Array, factor: number): Float64Array {
  for (let j = 0; j < w.length; j++) out[j] = w[j] * factor;
  return out;
}

function shiftAll(
  work: RowWork,
  z: Float64Array,
  changes: readonly Change[],
  from: number,
  to: number,
): void {
  if (changes.length === 0) return;
  for (let start = from; start < to; start += CHUNK)
    for (const change of changes) work.shift(z, change, start, Math.min(CHUNK, to - start));
}

function addBlock(
  work: RowWork,
  chosen: readonly Float64Array[],
  start: number,
  count: number,
  takeSlopes: () => void,
  out: Float64Array,
): void {
  work.beginNorms(count);
  for (const column of chosen) work.addSquares(column, start, count);
  if (work.roots(count)) mendNorms(work.norms, chosen, start, count);
  takeSlopes();
  chosen.forEach((column, k) => {
    out[k] += work.dot(column, start, count);
  });
}

/**
 * Recomputes norms of rows whose squares underflow or overflow, relative to the largest entry. Other rows do
 * not change.
 */
function mendNorms(norms: Float64Array, chosen: readonly Float64Array[], start: number, count: number): void {
  for (let i = 0; i < count; i++) {
    let square = 0;
    let largest = 0;
    for (const column of chosen) {
      const x = column[start + i];
      square += x * x;
      largest = Math.max(largest, Math.abs(x));
    }
    if (largest === 0 || (square >= 1e-280 && square <= 1e300)) continue;
    norms[i] =
      largest * Math.sqrt(chosen.reduce((sum, column) => sum + (column[start + i] / largest) ** 2, 0));
  }
}

/**
 * Margins at `w` of a range of rows, in the same way: `[rows]`, valid only in the range and until the next
 * call.
 */
export function coordinateMargins(
  { margins, work, scratch }: CoordinateSpace,
  w: Float64Array,
  { from, to }: CoordinateGradient['rows'],
): Float64Array {
  const { z, grid, changes, done } = margins.at(w, from, to);
  shiftAll(work, z, changes, from, to);
  done();
  scratch.margins ??= new Float64Array(z.length);
  const out = scratch.margins;
  for (let i = from; i < to; i++) out[i] = z[i] - grid[i];
  return out;
}
