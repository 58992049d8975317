import type { Vector } from '@lethe/core';

/** Splits doubles in halves whose products are exact. */
const splitter = 2 ** 27 + 1;
/** Beyond it the halves could overflow; such products are rounded. */
const largest = 2 ** 900;

/**
 * Adds `a · b` to entry `j` of a sum kept as `sum + rest`, with an error of about `2⁻¹⁰⁵` of the largest term: the order and the grouping of terms do not show
 * in the sum rounded to a double, but for ties.
 */
export function addProduct(sum: Vector, rest: Vector, j: number, a: number, b: number): void {
  const product = a * b;
  const before = sum[j]!, after = before + product, added = after - before;
  sum[j] = after;
  if (!(Math.abs(a) < largest && Math.abs(b) < largest && Math.abs(product) < largest)) return;
  rest[j]! += (before - (after - added)) + (product - added) + productError(a, b, product);
}

/** Dekker: `a b − product`, exactly, where nothing underflows. */
function productError(a: number, b: number, product: number): number {
  const highA = splitter * a - (splitter * a - a), lowA = a - highA;
  const highB = splitter * b - (splitter * b - b), lowB = b - highB;
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB);
}
