import { InvalidParameter, type Loss, type Resolved } from '@lethe/core';
import { assertPoint, assertRows, eachBlock, marginForm, type LabelledRows } from './labelled-rows.js';

/**
 * `(1/n) Σ f(w; xᵢ, yᵢ)` of a linear model, computed from the records themselves: **not private**, for evaluations on data
 * that need no protection. Infinite when a term overflows.
 *
 * @throws {InvalidParameter} when shapes disagree, `w` is not finite, or margins overflow into NaN.
 * @throws {Unsupported} when the loss is not that of a linear model.
 */
export function averageRisk(loss: Resolved<Loss>, data: LabelledRows, w: Float64Array): number {
  assertRows(data);
  assertPoint(w, data.columns);
  const { value } = marginForm(loss);
  let total = 0;
  eachBlock(data, w, (margins, from) => {
    let sum = 0;
    for (let i = 0; i < margins.length; i++) sum += value(margins[i], data.labels[from + i]) / data.rows;
    total += sum;
  });
  if (Number.isNaN(total)) throw new InvalidParameter('the average risk is not a number; features must be finite and margins must not overflow', {});
  return total;
}
