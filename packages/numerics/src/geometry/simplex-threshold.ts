import { sumError } from '../rounding/index.js';

/**
 * The amounts `max(0, values[i] − θ)` with sum `total`: the projection of `values` onto the simplex of that
 * total.
 *
 * Values are relative to the largest, which avoids cancellation: each amount has an absolute error of a few
 * units in the last place of `total`. O(d log d).
 *
 * @param total - Greater than 0.
 * @see Held, Wolfe & Crowder 1974, section 4: sort, then find the last value that stays above the threshold.
 */
export function simplexAmounts(values: Float64Array, total: number): Float64Array {
  if (total > 1e290)
    return simplexAmounts(
      values.map((value) => value * 2 ** -60),
      total * 2 ** -60,
    ).map((amount) => amount * 2 ** 60);
  let largest = -Infinity;
  for (const value of values) largest = Math.max(largest, value);
  // Gaps to the largest, ascending; gaps above the total, or infinite ones, have no effect.
  const gaps = values.map((value) => largest - value);
  const sorted = gaps.filter((gap) => gap < total).toSorted();
  let sum = 0;
  let compensation = 0;
  let height = total;
  for (let index = 0; index < sorted.length; index++) {
    const gap = sorted[index];
    if (gap >= height) break;
    const next = sum + gap;
    compensation += sumError(sum, gap, next);
    sum = next;
    height = total / (index + 1) + (sum + compensation) / (index + 1);
  }
  return gaps.map((gap) => Math.max(0, height - gap));
}
