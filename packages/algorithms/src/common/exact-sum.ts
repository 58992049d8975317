import { productError, sumError } from '@lethe/numerics';
import { type Vector } from '@lethe/core';

/** Beyond it the error of a product could overflow; such products are rounded. */
const largest = 2 ** 900;

/**
 * Adds `a · b` to entry `j` of a sum kept as `sum + rest`, with an error of about `2⁻¹⁰⁵` of the largest term: the order and the grouping of terms do not show
 * in the sum rounded to a double, but for ties.
 */
export function addProduct(sum: Vector, rest: Vector, j: number, a: number, b: number): void {
  const product = a * b;
  const before = sum[j]!, after = before + product;
  sum[j] = after;
  if (!(Math.abs(a) < largest && Math.abs(b) < largest && Math.abs(product) < largest)) return;
  rest[j]! += sumError(before, product, after) + productError(a, b, product);
}
