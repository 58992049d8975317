import type { LossLaw } from '../../plugins/loss-law.js';

/** Probabilities of the cells between the given losses. */
export function masses(law: LossLaw, edges: readonly number[] | Float64Array): { readonly p: Float64Array; readonly q: Float64Array; readonly edges: Float64Array } {
  const ends = Float64Array.from(edges);
  const [p, q] = [new Float64Array(ends.length - 1), new Float64Array(ends.length - 1)];
  law.massesInto!(p, q, ends);
  return { p, q, edges: ends };
}

/** Enough cells of equal width to hold all but nothing, and the two unbounded ones. */
export function fineEdges(from: number, to: number, cells: number): Float64Array {
  return Float64Array.from({ length: cells + 3 }, (_, i) => (i === 0 ? -Infinity : i === cells + 2 ? Infinity : from + ((i - 1) * (to - from)) / cells));
}

/** What the cells say of the profile: between the sum over cells `(p − e^ε q)⁺`, a coarser pair, and the same with every loss at the upper edge of its cell. */
export function profileOfCells(law: LossLaw, edges: Float64Array, epsilon: number): { readonly lower: number; readonly upper: number } {
  const { p, q } = masses(law, edges);
  let lower = law.infinite;
  let upper = law.infinite;
  p.forEach((mass, i) => {
    lower += Math.max(0, mass - Math.exp(epsilon) * q[i]!);
    upper += mass * Math.max(0, -Math.expm1(epsilon - edges[i + 1]!));
  });
  return { lower, upper };
}
