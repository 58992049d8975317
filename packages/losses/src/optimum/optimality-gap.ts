import type { Domain } from '@lethe/numerics';

/**
 * Upper bound on `F(w) − min_domain F` for a convex `F` with gradient `g` at `w`, from one projection: with
 * `w⁺ = P(w − ηg)`, every `v` in the domain has `⟨g, w − v⟩ ≤ ⟨g, w − w⁺⟩ + ‖w − w⁺‖·diameter/η`. The least
 * over several `η`. Infinite on an unbounded domain, unless `g` is zero.
 */
export function optimalityGap(w: Float64Array, gradient: Float64Array, domain: Domain): number {
  const size = Math.sqrt(gradient.reduce((sum, entry) => sum + entry * entry, 0));
  if (size === 0) return 0;
  if (domain.diameter === Infinity) return Infinity;
  let least = size * domain.diameter;
  for (let exponent = -4; exponent <= 8; exponent++) {
    const eta = (domain.diameter / size) * 4 ** exponent;
    const moved = domain.projectInto(
      new Float64Array(w.length),
      w.map((value, j) => value - eta * gradient[j]),
    );
    let descent = 0;
    let square = 0;
    for (let j = 0; j < w.length; j++) {
      descent += gradient[j] * (w[j] - moved[j]);
      square += (w[j] - moved[j]) ** 2;
    }
    least = Math.min(least, Math.max(0, descent) + (Math.sqrt(square) * domain.diameter) / eta);
  }
  return least;
}
