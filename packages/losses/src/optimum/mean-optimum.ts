import type { LabelledRows, NonPrivateOptimum, OptimumOptions } from '@lethe/core';
import { accumulate, type Domain } from '@lethe/numerics';
import { isDense } from '../labelled-rows.js';
import { descentOptions, foundBy } from './descent.js';
import { minimise } from './minimise.js';
import { optimalityGap } from './optimality-gap.js';
import { quadraticStep } from './quadratic-model.js';
import { regularised } from './objective-of.js';
import type { Objective } from './objective.js';

/** Mean record, and the mean squared distance from it. */
function meanOf(data: LabelledRows): {
  readonly mean: Float64Array;
  readonly spread: number;
} {
  const { rows, columns } = data;
  const mean = new Float64Array(columns);
  if (!isDense(data)) {
    const { features } = data;
    accumulate(features, new Float64Array(rows).fill(1 / rows), { from: 0, to: rows }, mean);
    // Entries that are zero are as far from the mean as the mean is from zero.
    let spread = mean.reduce((sum, entry) => sum + entry ** 2, 0);
    features.values.forEach((value, k) => {
      const middle = mean[features.columnIndices[k]];
      spread += ((value - middle) ** 2 - middle ** 2) / rows;
    });
    return { mean, spread };
  }
  const { features } = data;
  for (let i = 0, k = 0; i < rows; i++) for (let j = 0; j < columns; j++, k++) mean[j] += features[k] / rows;
  let spread = 0;
  for (let i = 0, k = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, k++) spread += (features[k] - mean[j]) ** 2 / rows;
  return { mean, spread };
}

/**
 * Minimises the average of `(scale/2)‖w − x‖²`, that is `(scale/2)(‖w − mean‖² + spread)`: the mean projected
 * on the domain; over the whole space with any regulariser the proximal point of the mean, which is exact;
 * with a ridge over a domain by descent from there.
 */
export function meanOptimum(
  scale: number,
  data: LabelledRows,
  domain: Domain,
  { regulariser, ...given }: OptimumOptions,
): NonPrivateOptimum {
  const { mean, spread } = meanOf(data);
  const d = mean.length;
  const smooth: Objective = {
    valueAndGradientInto(gradient, w) {
      for (let j = 0; j < d; j++) gradient[j] = scale * (w[j] - mean[j]);
      return (scale / 2) * (w.reduce((sum, entry, j) => sum + (entry - mean[j]) ** 2, 0) + spread);
    },
    hessian: isDense(data)
      ? () => Float64Array.from({ length: d * d }, (_, k) => (k % (d + 1) === 0 ? scale : 0))
      : null,
    isQuadratic: true,
    step: (w, gradient, matrix) => quadraticStep(w, gradient, matrix, domain),
    slopeTo: (w, gradient, target) => gradient.reduce((sum, entry, j) => sum + entry * (target[j] - w[j]), 0),
    gap: (w, gradient) =>
      Math.min(
        optimalityGap(w, gradient, domain),
        gradient.reduce((sum, entry) => sum + entry * entry, 0) / (2 * scale),
      ),
    residual: (_w, gradient) => Math.sqrt(gradient.reduce((sum, entry) => sum + entry * entry, 0)),
  };
  if (regulariser !== undefined && domain.unconstrained === true) {
    const point = regulariser.proxInto(new Float64Array(d), mean, 1 / scale);
    const gradient = new Float64Array(d);
    return foundBy(
      {
        point,
        risk: smooth.valueAndGradientInto(gradient, point) + regulariser.value(point),
        gradient,
        gap: 0,
        residual: 0,
        passes: 2,
      },
      true,
    );
  }
  const start = domain.projectInto(new Float64Array(d), mean);
  const found = minimise(regularised(smooth, domain, regulariser, true), domain, {
    ...descentOptions(data.rows, domain, given),
    start,
  });
  return foundBy({ ...found, passes: 2 }, true);
}
