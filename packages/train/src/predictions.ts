import type { MatrixView } from '@lethe/numerics';
import type { LabelSchema } from './schema.js';
import { inUnits } from './records.js';
import { taskOf } from './task.js';

/** Numbers per record that a model predicts: one, or a probability for each of several classes. */
export const widthOf = (label: LabelSchema): number =>
  label.type === 'classes' && label.classes.length > 2 ? label.classes.length : 1;

/**
 * What a linear model says of each row, `[rows, width]`, row-major: the probability of the second class, or
 * of each class, the number in the unit of its column and within its bounds, or the expected count.
 */
export function predictionsOf(
  label: LabelSchema,
  weights: ArrayLike<number>,
  rows: MatrixView,
): Float64Array {
  const width = widthOf(label);
  const { data, offset, rowStride, columnStride, columns } = rows;
  const out = new Float64Array(rows.rows * width);
  const link = linkOf(label);
  for (let i = 0; i < rows.rows; i++) {
    const outputs = out.subarray(i * width, (i + 1) * width);
    for (let k = 0; k < width; k++)
      for (let j = 0; j < columns; j++)
        outputs[k] += weights[k * columns + j] * data[offset + i * rowStride + j * columnStride];
    link(outputs);
  }
  return out;
}

function linkOf(label: LabelSchema): (outputs: Float64Array) => void {
  switch (taskOf(label)) {
    case 'binary':
      return (outputs) => {
        outputs[0] = 1 / (1 + Math.exp(-outputs[0]));
      };
    case 'classes':
      return (outputs) => {
        const top = outputs.reduce((most, one) => Math.max(most, one));
        let sum = 0;
        for (let k = 0; k < outputs.length; k++) {
          outputs[k] = Math.exp(outputs[k] - top);
          sum += outputs[k];
        }
        for (let k = 0; k < outputs.length; k++) outputs[k] /= sum;
      };
    case 'number':
      return (outputs) => {
        outputs[0] = inUnits(label, Math.min(Math.max(outputs[0], -1), 1));
      };
    case 'count':
      return (outputs) => {
        outputs[0] = Math.min(Math.exp(outputs[0]), label.type === 'count' ? label.upper : Infinity);
      };
  }
}
