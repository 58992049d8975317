import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';

/** Probabilities of the cells between the given losses. */
export function masses(
  distribution: PrivacyLossDistribution,
  edges: readonly number[] | Float64Array,
): { readonly p: Float64Array; readonly q: Float64Array; readonly edges: Float64Array } {
  const ends = Float64Array.from(edges);
  const [p, q] = [new Float64Array(ends.length - 1), new Float64Array(ends.length - 1)];
  defined(distribution.massesInto)(p, q, ends);
  return { p, q, edges: ends };
}

/** Edges of `cells` cells of equal width, and of the two unbounded ones. */
export function fineEdges(from: number, to: number, cells: number): Float64Array {
  return Float64Array.from({ length: cells + 3 }, (_, i) => {
    if (i === 0) return -Infinity;
    return i === cells + 2 ? Infinity : from + ((i - 1) * (to - from)) / cells;
  });
}

/**
 * Bounds of the profile from cells: the sum of `(p − e^ε q)⁺`, and the value with all losses at upper cell
 * edges.
 */
export function profileOfCells(
  { infinite }: PrivacyLossDistribution,
  { p, q, edges }: ReturnType<typeof masses>,
  epsilon: number,
): { readonly lower: number; readonly upper: number } {
  let [lower, upper] = [infinite, infinite];
  const e = Math.exp(epsilon);
  p.forEach((mass, i) => {
    lower += Math.max(0, mass - e * q[i]);
    if (edges[i + 1] > epsilon) upper += mass * -Math.expm1(epsilon - edges[i + 1]);
  });
  return { lower, upper };
}
