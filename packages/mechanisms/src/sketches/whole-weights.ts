import { InvalidParameter, type RandomSource } from '@lethe/core';
import { neumaierSum } from '@lethe/numerics';

/**
 * A distribution on `0 … n − 1` in whole numbers: `k` has probability
 * `weights[k] / total`, exactly. `cumulative[k]` sums weights up to `k`.
 */
export interface WholeWeights {
  readonly weights: Float64Array;
  readonly total: number;
  readonly cumulative: Float64Array;
}

/** Target of scaled sums; with rounding they stay below 2⁵³. */
const target = 2 ** 51;

/**
 * Whole weights in proportion to `given`, with a total below 2⁵³. Proportions are kept exactly where such
 * weights exist after scaling by a power of two (whole numbers, dyadic probabilities); others are rounded, by
 * at most 2⁻⁵⁰ of the total, and no weight below 1.
 *
 * @throws {InvalidParameter} unless every weight is positive and their sum finite.
 */
export function wholeWeights(given: readonly number[]): WholeWeights {
  const bad = given.findIndex((weight) => !(weight > 0));
  if (given.length === 0 || bad >= 0)
    throw new InvalidParameter(
      `weights must be positive; ${given.length === 0 ? 'there are none' : `weight ${bad} is ${given[bad]}`}`,
      { index: bad },
    );
  const sum = neumaierSum(given);
  if (!(sum < Infinity))
    throw new InvalidParameter('the weights add up to more than doubles hold; scale them down', {});
  const exponent = Math.floor(Math.log2(target / Math.max(sum, 2 ** -900)));
  // In two factors, either of which a double holds.
  const [first, second] = [2 ** Math.floor(exponent / 2), 2 ** (exponent - Math.floor(exponent / 2))];
  const weights = Float64Array.from(given, (weight) => Math.max(1, Math.round(weight * first * second)));
  const divisor = weights.reduce(greatestCommonDivisor);
  const cumulative = new Float64Array(weights.length);
  let total = 0;
  for (let k = 0; k < weights.length; k++) {
    weights[k] = weights[k] / divisor;
    total += weights[k];
    cumulative[k] = total;
  }
  return { weights, total, cumulative };
}

function greatestCommonDivisor(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/**
 * Draws `k` with probability `weights[k] / total`: a uniform whole
 * number below the total, looked up among the cumulative weights.
 */
export function drawWhole({ cumulative, total }: WholeWeights, random: RandomSource): number {
  const at = random.integer(total);
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cumulative[middle] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
