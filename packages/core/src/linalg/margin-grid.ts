/*
 * Margins that do not depend on their history.
 *
 * The margin of row i at w is kept as z_i = Σ_j p_ij with p_ij = fl(fl(x_ij w_j) + c_i) − c_i, where c_i = 6 · 2^(e_i + L),
 * 2^e_i > ‖x_i‖ and 2^L ≥ ‖w‖. With g_i = 2^(e_i + L − 50), c_i is 1.5 · 2^52 g_i, and |x_ij w_j| ≤ 2^50 g_i by Cauchy and Schwarz, so
 * that fl(x_ij w_j) + c_i lies between 2^52 g_i and 2^53 g_i, where doubles are the multiples of g_i: p_ij is x_ij w_j rounded to a
 * multiple of g_i, a function of x_ij, w_j, e_i and L alone, and subtracting c_i is exact.
 *
 * Sums of them are exact as well. On the way from one point to another of the same level L, entry by entry, every partial sum
 * is that of a point v which has some entries of either. ‖v‖² ≤ 2 · 4^L, hence |Σ_j p_ij(v)| ≤ √2 · 2^50 g_i + d g_i < 2^53 g_i for d up to
 * 2^52: a multiple of g_i that is a double, so no addition rounds. Whatever the order of changes, and wherever it began, z_i is
 * the same double. (Norms are computed with relative errors far below the slack in these bounds. Where c_i underflows, all
 * products are multiples of 2^−1074 below 2^−1022, and every sum of them is exact; where it overflows, z_i is NaN, and the row counts
 * as one whose margin is not finite.)
 *
 * |z_i − ⟨x_i, w⟩| ≤ d g_i, at most d 2^−45 ‖x_i‖‖w‖: e_i is at most one bit above ‖x_i‖ and L four above ‖w‖. The grid of a row depends on
 * that row and on public values only.
 */

/** Levels are multiples of this, so that the grid seldom changes while a point moves. */
const LEVEL_STEP = 4;
const LOWEST = -1000;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** The least e with 2^e > size, for a size of at least 2^-1022. */
function exponentAbove(size: number): number {
  float[0] = size;
  return ((words[1]! >>> 20) & 0x7ff) - 1022;
}

/** 2^exponent, exactly; Infinity where it is too large. */
function powerOfTwo(exponent: number): number {
  if (exponent > 1023) return Infinity;
  words[0] = 0;
  words[1] = (exponent + 1023) << 20;
  return float[0]!;
}

/** `c_i / 2^L` for every row, from its norm. */
export const unitsOf = (norms: Float64Array): Float64Array => norms.map((norm) => 6 * powerOfTwo(exponentAbove(norm)));

/** 2^L of a point: a power of 16 from its norm on. */
export function levelOf(w: Float64Array): number {
  const norm = normOf(w);
  return powerOfTwo(Math.max(LOWEST, LEVEL_STEP * Math.ceil(exponentAbove(norm) / LEVEL_STEP)));
}

function normOf(w: Float64Array): number {
  let [square, odd] = [0, 0];
  for (let j = 1; j < w.length; j += 2) {
    square += w[j - 1]! * w[j - 1]!;
    odd += w[j]! * w[j]!;
  }
  square += odd;
  if (w.length % 2 === 1) square += w[w.length - 1]! * w[w.length - 1]!;
  if (square > 1e-280 && square < 1e300) return Math.sqrt(square);
  let largest = 0;
  for (let j = 0; j < w.length; j++) largest = Math.max(largest, Math.abs(w[j]!));
  if (largest === 0) return 0;
  square = 0;
  for (let j = 0; j < w.length; j++) square += (w[j]! / largest) ** 2;
  return largest * Math.sqrt(square);
}

/** The largest `c_i` for which a margin is at most 700, where e^z needs no care: |z_i| ≤ c_i / 4. */
export const TAME = 2800;
