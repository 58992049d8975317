import { margins } from '@lethe/numerics';
import type { Vector } from '../query/query.js';
import type { DataSet } from './data-set.js';
import { readRowInto } from './each-gradient.js';
import { labelOf } from './label-of.js';
import { rowAt, rowCount, type Rows } from './members.js';

/** Loss of each record of a batch at a point, in slot order; a null record's is the declared constant 0. */
export function recordLosses(data: DataSet, rows: Rows, at: Vector): Float64Array {
  const { plugin, params } = data.loss;
  const out = new Float64Array(rowCount(rows));
  if (plugin.linear !== null) margins(data.matrix, at, rows, out);
  const features = new Float64Array(data.columns);
  for (let i = 0; i < out.length; i++) {
    const row = rowAt(rows, i);
    if (data.nulls?.[row] === 1) {
      out[i] = 0;
      continue;
    }
    if (plugin.linear !== null) {
      out[i] = plugin.linear.value(params, out[i], data.labels[row]);
      continue;
    }
    readRowInto(data, row, features);
    out[i] = plugin.value(params, at, { features, ...labelOf(data, row) });
  }
  return out;
}

/** The plain sum, in order. */
export function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
