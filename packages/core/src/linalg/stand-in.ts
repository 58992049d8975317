// TEMPORARY: plain loops so that the other packages can be tested; replaced by the kernels' own files.
import type { NdArray } from 'ndarray';

export interface MatrixView { readonly data: Float64Array; readonly rows: number; readonly columns: number; readonly offset: number; readonly rowStride: number; readonly columnStride: number }
export interface CsrMatrix { readonly rows: number; readonly columns: number; readonly rowStarts: Uint32Array; readonly columnIndices: Uint32Array; readonly values: Float64Array }
export type Rows = { readonly from: number; readonly to: number } | Uint32Array;
export interface Arena { readonly free: number; allocate(length: number): Float64Array }

export function viewOf(array: NdArray<Float64Array>): MatrixView {
  return { data: array.data, rows: array.shape[0]!, columns: array.shape[1]!, offset: array.offset, rowStride: array.stride[0]!, columnStride: array.stride[1]! };
}
const arenas = new WeakMap<ArrayBufferLike, Arena>();
export const arenaOf = (array: Float64Array): Arena | null => arenas.get(array.buffer) ?? null;
export function createArena({ doubles }: { readonly doubles: number }): Arena {
  const all = new Float64Array(doubles);
  let used = 0;
  const arena: Arena = {
    get free() { return doubles - used; },
    allocate(length) { used += length; return all.subarray(used - length, used); },
  };
  arenas.set(all.buffer, arena);
  return arena;
}
type Each = (row: number, use: (column: number, value: number) => void) => void;
const eachOf = (X: MatrixView | CsrMatrix): Each => ('rowStarts' in X
  ? (row, use) => { for (let k = X.rowStarts[row]!; k < X.rowStarts[row + 1]!; k++) use(X.columnIndices[k]!, X.values[k]!); }
  : (row, use) => { for (let j = 0; j < X.columns; j++) use(j, X.data[X.offset + row * X.rowStride + j * X.columnStride]!); });
const count = (rows: Rows): number => (rows instanceof Uint32Array ? rows.length : rows.to - rows.from);
const at = (rows: Rows, i: number): number => (rows instanceof Uint32Array ? rows[i]! : rows.from + i);
export function margins(X: MatrixView | CsrMatrix, w: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  const each = eachOf(X);
  for (let i = 0; i < count(rows); i++) { let sum = 0; each(at(rows, i), (j, v) => { sum += v * w[j]!; }); out[i] = sum; }
  return out;
}
export function accumulate(X: MatrixView | CsrMatrix, r: Float64Array, rows: Rows, out: Float64Array): Float64Array {
  const each = eachOf(X);
  for (let i = 0; i < count(rows); i++) each(at(rows, i), (j, v) => { out[j]! += r[i]! * v; });
  return out;
}
export function rowNorms(X: MatrixView | CsrMatrix, out: Float64Array): Float64Array {
  const each = eachOf(X);
  for (let i = 0; i < X.rows; i++) { let sum = 0; each(i, (_j, v) => { sum += v * v; }); out[i] = Math.sqrt(sum); }
  return out;
}
export function clippedGradient({ X, labels, norms, w, rows, radius, slope, out }: { readonly X: MatrixView | CsrMatrix; readonly labels: Float64Array; readonly norms: Float64Array; readonly w: Float64Array; readonly rows: Rows; readonly radius: number; readonly slope: 'logistic' | 'squared'; readonly out: Float64Array }): Float64Array {
  const r = margins(X, w, rows, new Float64Array(count(rows)));
  for (let i = 0; i < r.length; i++) {
    const row = at(rows, i);
    const y = labels[row]!;
    const s = slope === 'squared' ? r[i]! - y : -y / (1 + Math.exp(y * r[i]!));
    const size = Math.abs(s) * norms[row]!;
    r[i] = Number.isFinite(size) ? (size > radius ? s * (radius / size) : s) : 0;
  }
  return accumulate(X, r, rows, out);
}
