const sweeps = 5000;

/**
 * Minimises `⟨gradient, v − w⟩ + ½(v − w)ᵀ H (v − w) + strength·‖v‖₁` one coordinate after the other, which
 * does not mind columns of very different size. Approximate answers are fine: the caller certifies its points
 * by itself.
 *
 * @param matrix - `H`, symmetric and positive semi-definite, row-major.
 */
export function l1Step(
  w: Float64Array,
  gradient: Float64Array,
  matrix: Float64Array,
  strength: number,
): Float64Array {
  const d = w.length;
  const v = w.slice();
  const slope = gradient.slice();
  let trace = 0;
  for (let j = 0; j < d; j++) trace += matrix[j * d + j];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    let isStill = true;
    for (let j = 0; j < d; j++) {
      // A coordinate without curvature goes to 0, where its penalty is least.
      const curvature = matrix[j * d + j] + 1e-16 * trace;
      const free = v[j] - slope[j] / curvature;
      const next = curvature > 0 ? Math.sign(free) * Math.max(0, Math.abs(free) - strength / curvature) : 0;
      const change = next - v[j];
      if (change === 0) continue;
      v[j] = next;
      for (let l = 0; l < d; l++) slope[l] += matrix[j * d + l] * change;
      isStill &&= Math.abs(change) <= 1e-15 * Math.abs(next);
    }
    if (isStill) break;
  }
  return v;
}
