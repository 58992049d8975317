import type { Vector } from '@lethe/core';
import { margins } from '@lethe/numerics';
import type { DataSet } from './data-set.js';
import { readRowInto } from './each-gradient.js';
import { labelOf } from './label-of.js';
import { rowAt, rowCount, type Rows } from './members.js';
import { partsOf } from './paged-records.js';

/**
 * The plain sum, in slot order, of the loss of each record of a batch at a point; a null record's is the
 * declared constant 0.
 *
 * @param counted - What a loss counts as. @defaultValue itself
 */
export function sumOfLosses(
  data: DataSet,
  rows: Rows,
  at: Vector,
  counted: (loss: number) => number = (loss) => loss,
): number {
  let sum = 0;
  for (const part of partsOf(data, rows))
    for (const loss of recordLosses(part.data, part.rows, at)) sum += counted(loss);
  return sum;
}

/** Loss of each record in memory, in slot order. */
function recordLosses(data: DataSet, rows: Rows, at: Vector): Float64Array {
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
