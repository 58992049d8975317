/** Nodes of one panel. */
const order = 32;

/** Nodes in (0, 1) and weights of the Gauss–Legendre rule, exact up to degree `2·order − 1`. */
const rule: readonly (readonly [node: number, weight: number])[] = Array.from({ length: order }, (_, i) => {
  let x = Math.cos((Math.PI * (i + 0.75)) / (order + 0.5));
  let slope = 1;
  for (let step = 0; step < 8; step++) {
    let [before, value] = [0, 1];
    for (let degree = 1; degree <= order; degree++)
      [before, value] = [value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree];
    slope = (order * (x * value - before)) / (x * x - 1);
    x -= value / slope;
  }
  return [(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)];
});

/**
 * The probability that each candidate is the first accepted when all of them come at independent uniform
 * times and candidate `i` is accepted with probability `chances[i]`: `pᵢ ∫₀¹ Π_{j ≠ i} (1 − t pⱼ) dt`, to
 * 1e-13.
 *
 * The integrand is at most `e^(−t Σ p)` times a bounded factor, so that panels that double in width are exact
 * to rounding. Every term is positive: the expansion in powers of `t` would cancel.
 *
 * @param chances - In [0, 1], some of them 1: then one candidate is accepted for certain.
 * @see McKenna and Sheldon 2020, who have it as a sum over sets.
 */
export function firstAccepted(chances: Float64Array): Float64Array {
  const sums = new Float64Array(chances.length);
  let from = 2 ** -Math.ceil(Math.log2(chances.length + 1));
  add(sums, chances, 0, from);
  for (; from < 1; from *= 2) add(sums, chances, from, 2 * from);
  return sums.map((sum, i) => chances[i] * sum);
}

/** Adds the integral over one panel. */
function add(sums: Float64Array, chances: Float64Array, from: number, to: number): void {
  for (const [node, weight] of rule) {
    const time = from + node * (to - from);
    let log = 0;
    for (let i = 0; i < chances.length; i++) log += Math.log1p(-time * chances[i]);
    const all = weight * (to - from) * Math.exp(log);
    if (all === 0) continue;
    for (let i = 0; i < sums.length; i++) sums[i] += all / (1 - time * chances[i]);
  }
}
