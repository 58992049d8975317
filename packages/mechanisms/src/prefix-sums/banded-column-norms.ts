import { addUp, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { type Participation, type PrefixSumShape } from '@lethe/core';
import { largestParticipation } from './participation.js';
import { runningSquaresUp } from './sensitivity.js';

/** Norms of the first `k = 0, 1, …` coefficients: what columns of that many rows are divided by. */
export function partialNorms(coefficients: Float64Array): Float64Array {
  const norms = new Float64Array(coefficients.length + 1);
  let square = 0;
  for (let k = 0; k < coefficients.length; k++)
    norms[k + 1] = Math.sqrt((square += coefficients[k] * coefficients[k]));
  return norms;
}

/**
 * An upper bound of the norm of `C u` for a banded matrix of coefficients
 * that are not negative, its columns divided by their norms.
 *
 * Columns a band or more apart are orthogonal; with a gap that wide this is `√k`, exactly. Else the inner
 * products of columns are bounded by the largest at their distance or beyond, which every pair of
 * participations keeps.
 */
export function normalisedNormUp(
  coefficients: Float64Array,
  norms: Float64Array,
  shape: PrefixSumShape,
  participation: Participation,
): number {
  const count = largestParticipation(shape, participation);
  const { gap } = participation;
  const width = Math.min(coefficients.length, shape.steps);
  const c = coefficients.subarray(0, width);
  const products = largestProductsUp(c, norms, Math.min(gap, width), shape.steps);
  let square = multiplyUp(count, ownSquareUp(c, norms));
  for (let apart = 1; apart < count && apart * gap < width; apart++) {
    const pairs = 2 * (count - apart);
    square = addUp(square, multiplyUp(pairs, products[apart * gap]));
  }
  return sqrtUp(Math.min(square, multiplyUp(count, multiplyUp(count, ownSquareUp(c, norms)))));
}

/** Squares of the norms, which are 1 but for the rounding of what they are divided by. */
function ownSquareUp(c: Float64Array, norms: Float64Array): number {
  let largest = 0;
  runningSquaresUp(c).forEach((square, rows) => {
    if (rows > 0) largest = Math.max(largest, divideUp(sqrtUp(square), norms[rows]));
  });
  return multiplyUp(largest, largest);
}

/**
 * For distances from `nearest` to the width of the band: the largest
 * inner product of two columns that far apart or farther, rounded up.
 */
function largestProductsUp(
  c: Float64Array,
  norms: Float64Array,
  nearest: number,
  steps: number,
): Float64Array {
  const products = new Float64Array(c.length + 1);
  const rounding = 1 + (c.length + 8) * 2 ** -52;
  for (let distance = c.length - 1; distance >= nearest; distance--) {
    let product = 0;
    let largest = products[distance + 1];
    // The later column has `rows` rows to the end of the stream, the earlier one `distance` more.
    for (let rows = 1; rows <= Math.min(c.length, steps - distance); rows++) {
      if (rows + distance <= c.length) product += c[rows - 1] * c[rows - 1 + distance];
      largest = Math.max(
        largest,
        (product * rounding) / (norms[rows] * norms[Math.min(c.length, rows + distance)]),
      );
    }
    products[distance] = largest;
  }
  return products;
}
