import { accumulate } from '@lethe/numerics';
import { eachBlock, isDense, type DenseRows, type LabelledRows, type MarginForm } from '../labelled-rows.js';

interface HessianOptions {
  readonly stride: number;
  readonly floor: number;
}

/** Average risk and, in `gradient`, its gradient at `w`: one pass. */
export function riskAndGradientInto(
  gradient: Float64Array,
  form: MarginForm,
  data: LabelledRows,
  w: Float64Array,
): number {
  const { labels, rows, columns } = data;
  gradient.fill(0);
  if (!isDense(data)) {
    let risk = 0;
    eachBlock(data, w, (margins, from) => {
      let sum = 0;
      for (let i = 0; i < margins.length; i++) {
        sum += form.value(margins[i], labels[from + i]);
        margins[i] = form.slope(margins[i], labels[from + i]) / rows;
      }
      risk += sum / rows;
      accumulate(data.features, margins, { from, to: from + margins.length }, gradient);
    });
    return risk;
  }
  const { features } = data;
  const partial = new Float64Array(columns);
  let total = 0;
  eachBlock(data, w, (margins, from) => {
    partial.fill(0);
    let sum = 0;
    for (let i = 0, k = from * columns; i < margins.length; i++) {
      sum += form.value(margins[i], labels[from + i]);
      const slope = form.slope(margins[i], labels[from + i]);
      for (let j = 0; j < columns; j++, k++) partial[j] += slope * features[k];
    }
    total += sum / rows;
    for (let j = 0; j < columns; j++) gradient[j] += partial[j] / rows;
  });
  return total;
}

/**
 * The Hessian of the average risk over every `stride`-th row, as a full symmetric matrix, row-major.
 * Curvatures in the margin are those that the loss gives, or central differences of the slope; they steer the
 * search and are no part of its certificate.
 *
 * @param floor - Least curvature that a record is taken to have: a loss
 * that is linear where most records are says too little about the way.
 */
export function hessian(
  form: MarginForm,
  data: DenseRows,
  w: Float64Array,
  { stride, floor }: HessianOptions,
): Float64Array {
  const { features, labels, rows, columns } = data;
  const curvature = form.curvature ?? differencesOf(form);
  const matrix = new Float64Array(columns * columns);
  let used = 0;
  for (let i = 0; i < rows; i += stride, used++) {
    const row = i * columns;
    let margin = 0;
    for (let j = 0; j < columns; j++) margin += features[row + j] * w[j];
    const weight = Math.max(floor, curvature(margin, labels[i]));
    for (let j = 0; j < columns; j++) {
      const scaled = weight * features[row + j];
      for (let l = 0; l <= j; l++) matrix[j * columns + l] += scaled * features[row + l];
    }
  }
  for (let j = 0; j < columns; j++)
    for (let l = 0; l <= j; l++) {
      matrix[j * columns + l] /= used;
      matrix[l * columns + j] = matrix[j * columns + l];
    }
  return matrix;
}

function differencesOf({ slope }: MarginForm): (margin: number, label: number) => number {
  return (margin, label) => {
    const step = 1e-5 * (1 + Math.abs(margin));
    return Math.max(0, (slope(margin + step, label) - slope(margin - step, label)) / (2 * step));
  };
}
