/**
 * Cell masses of a pair whose loss on `[−ε, ε]` has the densities `½k·e^{(ℓ−ε)/2}` under P and
 * `½k·e^{−(ℓ+ε)/2}` under Q. No exponent is positive, so nothing overflows.
 */
export function exponentialCells(
  p: Float64Array,
  q: Float64Array,
  edges: Float64Array,
  epsilon: number,
  k: number,
): void {
  for (let i = 0; i < p.length; i++) {
    const a = Math.max(edges[i], -epsilon);
    const b = Math.min(edges[i + 1], epsilon);
    const width = a < b ? -k * Math.expm1((a - b) / 2) : 0;
    p[i] = width === 0 ? 0 : width * Math.exp((b - epsilon) / 2);
    q[i] = width === 0 ? 0 : width * Math.exp(-(a + epsilon) / 2);
  }
}
