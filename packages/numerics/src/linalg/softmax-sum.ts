import { InvalidParameter } from '../errors.js';
import type { ClippedSum, FusedSum } from './fused-sum.js';
import { multiOutputSum } from './multi-output-sum.js';

/**
 * Turns outputs into `p − e_y` in place, where `p` is their softmax
 * and `y` the class; exact to rounding for outputs of any size.
 *
 * @param outputs - `[classes]`.
 * @returns its ℓ2 norm.
 */
export function softmaxResidualInPlace(outputs: Float64Array, label: number): number {
  let top = -Infinity;
  for (let k = 0; k < outputs.length; k++) top = Math.max(top, outputs[k]);
  let total = 0;
  for (let k = 0; k < outputs.length; k++) {
    outputs[k] = Math.exp(outputs[k] - top);
    total += outputs[k];
  }
  let square = 0;
  let others = 0;
  for (let k = 0; k < outputs.length; k++) {
    outputs[k] /= total;
    if (k === label) continue;
    others += outputs[k];
    square += outputs[k] * outputs[k];
  }
  // 1 − p_y as the sum of the others, which keeps its digits where p_y is near 1.
  outputs[label] = -others;
  return Math.sqrt(square + others * others);
}

/**
 * {@link FusedSum} of the softmax loss of so many classes: the gradient of a record is `(p − e_y) ⊗ x`, of
 * norm `‖p − e_y‖·‖x‖`, so that it is clipped without being made. Labels are classes from 0.
 *
 * @throws {InvalidParameter} unless there are two classes or more.
 */
export function softmaxSum(classes: number): FusedSum {
  if (!(Number.isSafeInteger(classes) && classes >= 2))
    throw new InvalidParameter(`${classes} classes; softmax needs two or more`, { classes });
  return Object.freeze({
    clippedSum({ labels, norms, radius, ...job }: ClippedSum) {
      multiOutputSum({
        ...job,
        outputs: classes,
        coefficientsInPlace(outputs, row) {
          const norm = softmaxResidualInPlace(outputs, labels[row]) * norms[row];
          if (!(norm <= radius)) for (let k = 0; k < classes; k++) outputs[k] *= radius / norm;
        },
      });
    },
  });
}
