import { InvalidParameter, iterateDimensionOf, labelWidthOf, type Loss, type Resolved } from '@lethe/core';
import { assertResolved } from './assert-resolved.js';
import {
  assertPoint,
  assertRows,
  eachBlock,
  marginForm,
  plainRows,
  recordOf,
  type GivenRows,
} from './labelled-rows.js';

/**
 * `(1/n) Σ f(w; xᵢ, yᵢ)`, computed from the records themselves: **not private**, for evaluations on data
 * that need no protection. Infinite when a term overflows.
 *
 * @throws {InvalidParameter} when the loss has no parameters with it,
 * shapes disagree, `w` is not finite, or margins overflow into NaN.
 */
export function averageRisk(loss: Resolved<Loss>, given: GivenRows, w: Float64Array): number {
  assertResolved(loss);
  const data = plainRows(given);
  assertRows(data, labelWidthOf(loss));
  assertPoint(w, iterateDimensionOf(loss, data.columns));
  const { plugin, params } = loss;
  let total = 0;
  if (plugin.linear === null) {
    for (let i = 0; i < data.rows; i++) total += plugin.value(params, w, recordOf(data, i)) / data.rows;
    return number(total);
  }
  const { value } = marginForm(loss);
  eachBlock(data, w, (margins, from) => {
    let sum = 0;
    for (let i = 0; i < margins.length; i++) sum += value(margins[i], data.labels[from + i]) / data.rows;
    total += sum;
  });
  return number(total);
}

function number(total: number): number {
  if (Number.isNaN(total))
    throw new InvalidParameter(
      'the average risk is not a number; features must be finite and margins must not overflow',
      {},
    );
  return total;
}
