import type { Domain } from '@lethe/numerics';

/**
 * Minimises `⟨gradient, v − w⟩ + ½(v − w)ᵀ H (v − w)` over the domain: by Cholesky where that stays inside,
 * else by accelerated projected gradients with restarts. Approximate answers are fine: the caller certifies
 * its points by itself.
 *
 * @param matrix - `H`, symmetric and positive semi-definite, row-major.
 */
export function quadraticStep(
  w: Float64Array,
  gradient: Float64Array,
  matrix: Float64Array,
  domain: Domain,
): Float64Array {
  const free = solve(ridged(matrix, w.length), gradient);
  if (free !== null) {
    const target = w.map((value, j) => value - free[j]);
    if (target.every(Number.isFinite) && domain.contains(target)) return target;
  }
  return constrained(w, gradient, matrix, domain);
}

const iterations = 4000;

function constrained(
  w: Float64Array,
  gradient: Float64Array,
  matrix: Float64Array,
  domain: Domain,
): Float64Array {
  const d = w.length;
  const smoothness =
    Math.sqrt(matrix.reduce((sum, entry) => sum + entry * entry, 0)) ||
    norm(gradient) / (domain.diameter < Infinity ? 1e3 * domain.diameter : 1) ||
    1;
  const slope = new Float64Array(d);
  let x: Float64Array = w.slice();
  let y: Float64Array = w.slice();
  let momentum = 1;
  for (let t = 0; t < iterations; t++) {
    for (let j = 0; j < d; j++) {
      let sum = gradient[j];
      for (let l = 0; l < d; l++) sum += matrix[j * d + l] * (y[l] - w[l]);
      slope[j] = sum;
    }
    const next = domain.projectInto(
      new Float64Array(d),
      y.map((value, j) => value - slope[j] / smoothness),
    );
    let ascent = 0;
    let moved = 0;
    for (let j = 0; j < d; j++) {
      ascent += (y[j] - next[j]) * (next[j] - x[j]);
      moved = Math.max(moved, Math.abs(next[j] - y[j]));
    }
    if (moved <= 1e-16 * (1 + norm(next))) return next;
    const following = ascent > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const carry = ascent > 0 ? 0 : (momentum - 1) / following;
    y = next.map((value, j) => value + carry * (value - x[j]));
    x = next;
    momentum = following;
  }
  return x;
}

/** A ridge so small that it only decides between directions the data say nothing about. */
function ridged(matrix: Float64Array, d: number): Float64Array {
  let trace = 0;
  for (let j = 0; j < d; j++) trace += matrix[j * d + j];
  return matrix.map((entry, k) => (k % (d + 1) === 0 ? entry + 1e-13 * trace : entry));
}

/** `H⁻¹ b` by Cholesky; `null` when `H` is not positive definite. */
function solve(matrix: Float64Array, b: Float64Array): Float64Array | null {
  const d = b.length;
  const factor = matrix.slice();
  for (let j = 0; j < d; j++) {
    for (let l = 0; l <= j; l++) {
      let sum = factor[j * d + l];
      for (let m = 0; m < l; m++) sum -= factor[j * d + m] * factor[l * d + m];
      if (l < j) factor[j * d + l] = sum / factor[l * d + l];
      else if (sum > 0) factor[j * d + j] = Math.sqrt(sum);
      else return null;
    }
  }
  const x = b.slice();
  for (let j = 0; j < d; j++) {
    for (let l = 0; l < j; l++) x[j] -= factor[j * d + l] * x[l];
    x[j] /= factor[j * d + j];
  }
  for (let j = d - 1; j >= 0; j--) {
    for (let l = j + 1; l < d; l++) x[j] -= factor[l * d + j] * x[l];
    x[j] /= factor[j * d + j];
  }
  return x;
}

const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, entry) => sum + entry * entry, 0));
