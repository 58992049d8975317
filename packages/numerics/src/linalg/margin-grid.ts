/*
 * Margins that do not depend on the order of updates.
 *
 * The margin of row i at w is stored as Z_i = c_i + Σ_j p_ij, where c_i = 6 · 2^(e_i + L), 2^e_i > ‖x_i‖ and
 * 2^L ≥ ‖w‖, or the smallest origin if that is larger. Let g_i be the last place of c_i = 1.5 · 2^52 g_i, and
 * p_ij the multiple of g_i nearest to t_ij: fl(x_ij w_j) with its last bit set. By Cauchy and Schwarz |t_ij|
 * ≤ 2^50 g_i, so its last bit stands for at most g_i / 4, and t_ij is never half way between two multiples of
 * g_i: nearest means one of them, and p_ij is a function of x_ij, w_j, c_i alone.
 *
 * Z_i is reached by adding t_ij and subtracting others, in any order. While all sums stay between 2^52 g_i
 * and 2^53 g_i, where doubles are the multiples of g_i, fl(Z + t_ij) = Z + p_ij, whatever Z is, and fl(Z −
 * t_ij) takes exactly that back. They do: on the way from one point to another of the same level L, entry by
 * entry, every partial sum is that of a point v which has some entries of either, ‖v‖² ≤ 2 · 4^L, hence |Σ_j
 * p_ij(v)| ≤ √2 · 2^50 g_i + d g_i < 2^51 g_i for d up to 2^48. Whatever the order of changes, and wherever
 * it began, Z_i is the same double, and Z_i − c_i is exact. (Norms are computed with relative errors far
 * below the slack in these bounds. The least origin is large enough for g_i not to underflow; where c_i
 * overflows, Z_i − c_i is NaN, and the row counts as one whose margin is not finite.)
 *
 * |Z_i − c_i − ⟨x_i, w⟩| ≤ d g_i, at most d 2^−45 ‖x_i‖‖w‖ above the least origin: e_i is at most one bit
 * above ‖x_i‖ and L four above ‖w‖. The grid of a row depends on that row and on public values only.
 */

/** Smallest origin for errors that are small relative to every margin. */
export const FINEST_ORIGIN = 1.5 * 2 ** -900;
/**
 * Smallest origin for errors of d · 2^−45, small relative to 1: common to all rows with ‖x_i‖‖w‖ up to 1, and
 * often up to 32. An integer, so that rounding to integers takes one step.
 */
export const COARSE_ORIGIN = 192;

/** Levels are multiples of this, so the grid seldom changes while a point moves. */
const LEVEL_STEP = 4;
const LOWEST = -1000;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** The least e with 2^e > size, for a size of at least 2^-1022. */
function exponentAbove(size: number): number {
  float[0] = size;
  return ((words[1] >>> 20) & 0x7ff) - 1022;
}

/** 2^exponent, exactly; Infinity where it is too large. */
function powerOfTwo(exponent: number): number {
  if (exponent > 1023) return Infinity;
  words[0] = 0;
  words[1] = (exponent + 1023) << 20;
  return float[0];
}

/** `c_i / 2^L` for every row, from its norm. */
export const unitsOf = (norms: Float64Array): Float64Array =>
  norms.map((norm) => 6 * powerOfTwo(exponentAbove(norm)));

/** 2^L of a point: a power of 16 from its norm on. */
export function levelOf(w: Float64Array): number {
  const norm = normOf(w);
  return powerOfTwo(Math.max(LOWEST, LEVEL_STEP * Math.ceil(exponentAbove(norm) / LEVEL_STEP)));
}

function normOf(w: Float64Array): number {
  let [square, odd] = [0, 0];
  for (let j = 1; j < w.length; j += 2) {
    square += w[j - 1] * w[j - 1];
    odd += w[j] * w[j];
  }
  square += odd;
  if (w.length % 2 === 1) square += w[w.length - 1] * w[w.length - 1];
  if (square > 1e-280 && square < 1e300) return Math.sqrt(square);
  let largest = 0;
  for (let j = 0; j < w.length; j++) largest = Math.max(largest, Math.abs(w[j]));
  if (largest === 0) return 0;
  square = 0;
  for (let j = 0; j < w.length; j++) square += (w[j] / largest) ** 2;
  return largest * Math.sqrt(square);
}
