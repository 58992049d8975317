import type { GradientTerms, Vector } from '@lethe/core';
import { defined, margins } from '@lethe/numerics';
import { isSparse, type DataSet } from './attached.js';
import { rowAt, rowCount, type Rows } from './members.js';

/** Whether each gradient has the entries of its record: whole gradients of a linear model on sparse rows. */
export const hasSparseGradients = (data: DataSet, { coordinates }: GradientTerms): boolean =>
  data.paged === null &&
  data.loss.plugin.linear !== null &&
  isSparse(data.stored) &&
  coordinates === undefined;

/**
 * Calls `use` with each record's `Σ_k weight_k ∇f(at_k; z)` by its entries, in slot order, of a data set that
 * {@link hasSparseGradients}. What `use` is given is lent until the next call. A null record, or one whose
 * gradient is not finite, has no entries.
 */
export function eachSparseGradient(
  { stored, labels, nulls, loss: { plugin, params } }: DataSet,
  rows: Rows,
  { terms }: GradientTerms,
  use: (slot: number, indices: Uint32Array, values: Vector) => void,
): void {
  if (!isSparse(stored)) return;
  const { rowStarts, columnIndices, values } = stored;
  const count = rowCount(rows);
  const slopes = new Float64Array(count);
  const at = new Float64Array(count);
  const linear = defined(plugin.linear);
  for (const { weight, at: point } of terms) {
    margins(stored, point, rows, at);
    for (let i = 0; i < count; i++) slopes[i] += weight * linear.slope(params, at[i], labels[rowAt(rows, i)]);
  }
  // Indices are lent to plugins, which must not be able to write to the data.
  let indices = new Uint32Array(64);
  let gradient = new Float64Array(64);
  for (let i = 0; i < count; i++) {
    const row = rowAt(rows, i);
    const from = rowStarts[row];
    const length = nulls?.[row] === 1 ? 0 : rowStarts[row + 1] - from;
    if (length > indices.length) {
      indices = new Uint32Array(2 * length);
      gradient = new Float64Array(2 * length);
    }
    let ok = true;
    for (let k = 0; k < length; k++) {
      indices[k] = columnIndices[from + k];
      gradient[k] = slopes[i] * values[from + k];
      ok &&= Number.isFinite(gradient[k]);
    }
    const entries = ok ? length : 0;
    use(i, indices.subarray(0, entries), gradient.subarray(0, entries));
  }
}
