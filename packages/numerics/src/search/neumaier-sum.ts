import { InvalidParameter } from '../errors.js';
import { sumError } from '../rounding/index.js';

/**
 * The compensated sum of `values`: as if added in twice the working precision and rounded once; relative
 * error at most about `2^-53 + n² 2^-106 Σ|x_i| / |Σ x_i|`. An empty sum is 0.
 *
 * A sum that overflows gives the infinity of its sign.
 *
 * @throws {InvalidParameter} on NaN and when both infinities occur.
 *
 * @see Neumaier 1974.
 */
export function neumaierSum(values: ArrayLike<number>): number {
  let total = 0;
  let compensation = 0;
  for (let index = 0; index < values.length; index++) {
    const next = total + values[index];
    compensation += sumError(total, values[index], next);
    total = next;
  }
  if (total !== total) {
    throw new InvalidParameter(
      'a sum has no value: its terms hold NaN or infinities of both signs; give numbers',
      { length: values.length },
    );
  }
  return Number.isFinite(total) ? total + compensation : total;
}
