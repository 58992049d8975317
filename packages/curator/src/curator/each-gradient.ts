import type { GradientTerms, Vector } from '@lethe/core';
import { allFinite } from '@lethe/numerics';
import { isSparse, type DataSet } from './attached.js';
import { labelOf } from './label-of.js';
import { rowAt, rowCount, type Rows } from './members.js';
import { partsOf } from './paged-records.js';

/** Writes row `i` of the features into `out`. */
export function readRowInto({ stored: matrix }: DataSet, i: number, out: Vector): void {
  if (isSparse(matrix)) {
    out.fill(0);
    for (let k = matrix.rowStarts[i]; k < matrix.rowStarts[i + 1]; k++)
      out[matrix.columnIndices[k]] = matrix.values[k];
    return;
  }
  const { data, columnStride } = matrix;
  const start = matrix.offset + i * matrix.rowStride;
  if (columnStride === 1) out.set(data.subarray(start, start + out.length));
  else for (let j = 0; j < out.length; j++) out[j] = data[start + j * columnStride];
}

/**
 * Each record's `Σ_k weight_k ∇f(at_k; z)` in slot order, restricted to the coordinates asked for. The vector
 * is lent until the next one. A null record, or one whose gradient is not finite, gives zero without an
 * error, which would reveal it.
 *
 * @param centre - Subtracted from every other record's sum. @defaultValue the origin
 */
export function* gradientsOf(
  data: DataSet,
  rows: Rows,
  { terms, coordinates }: GradientTerms,
  centre?: Vector,
): Generator<Vector, void, undefined> {
  const { plugin, params } = data.loss;
  const features = new Float64Array(data.columns);
  const one = new Float64Array(data.dimension);
  const sum = new Float64Array(data.dimension);
  const picked = coordinates === undefined ? sum : new Float64Array(coordinates.length);
  const only = terms.length === 1 && terms[0].weight === 1 ? terms[0] : null;
  for (const { data: part, rows: some } of partsOf(data, rows)) {
    for (let slot = 0; slot < rowCount(some); slot++) {
      const row = rowAt(some, slot);
      sum.fill(0);
      if (part.nulls?.[row] !== 1) {
        readRowInto(part, row, features);
        const record = { features, ...labelOf(part, row) };
        if (only === null) {
          for (const { weight, at } of terms) {
            one.fill(0);
            plugin.gradientInto(params, one, at, record);
            for (let j = 0; j < sum.length; j++) sum[j] += weight * one[j];
          }
        } else plugin.gradientInto(params, sum, only.at, record);
        if (centre !== undefined) for (let j = 0; j < sum.length; j++) sum[j] -= centre[j];
        if (!allFinite(sum)) sum.fill(0);
      }
      if (coordinates !== undefined) for (let k = 0; k < picked.length; k++) picked[k] = sum[coordinates[k]];
      yield picked;
    }
  }
}

/** Calls `use` with the position and the lent vector of each record of {@link gradientsOf}. */
export function eachGradient(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  use: (slot: number, gradient: Vector) => void,
): void {
  let slot = 0;
  for (const gradient of gradientsOf(data, rows, of)) use(slot++, gradient);
}
