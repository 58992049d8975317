import { InvalidParameter, type RandomSource } from '@lethe/core';
import type { BlockRow } from './blocks.js';

/** Records of one block: `distinct` rows of random signs, each `copies` times. */
export interface Fingerprints {
  /** m. */
  readonly distinct: number;
  /** k. */
  readonly copies: number;
  /** s: signs of a record. */
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * Lower bound on `E‖A − z̄‖²` for every (ε, δ)-private A, where the records are `x_i/√s`, each k times, `x_i`
 * are m independent rows of s signs, and the j-th signs have a mean `p_j` uniform on [−1, 1]. It may be
 * negative: then it says nothing.
 *
 * Scaled to signs and with entries held to [−1, 1], which brings A closer, `Σ_i E⟨A, x_i − p⟩` is at least
 * `s(m + 4)/(3(m + 2)) − s·E‖A − z̄‖²` for every A. Privacy bounds each term by what it is for a row that A
 * has not seen, `scoreWithin`.
 *
 * @throws {InvalidParameter} unless m, k, s are positive and whole, ε > 0 and `0 ≤ δ < 1`.
 * @see Ghazi and others, Theorem 4.5; Bun, Steinke and Ullman 2017.
 */
export function fingerprintingMeanSquare(given: Fingerprints): number {
  const { distinct: m, copies, sparsity, epsilon, delta } = given;
  for (const [name, value] of Object.entries({ distinct: m, copies, sparsity }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} is ${value}; it must be a positive whole number`, {
        [name]: value,
      });
  if (!(epsilon > 0 && delta >= 0 && delta < 1))
    throw new InvalidParameter(`epsilon = ${epsilon} and delta = ${delta} are no privacy parameters`, {
      epsilon,
      delta,
    });
  return (m + 4) / (3 * (m + 2)) - m * scoreWithin(given);
}

/**
 * Bound on `E⟨A, x_i − p⟩/s` for a row with k copies: those are private with `(kε, δ′)`,
 * `δ′ = δ(e^{kε} − 1)/(e^ε − 1)`, against an answer that has not seen the row. Its score Z′ has mean 0,
 * variance at most `2s/3`, tail `e^{−λ²/(2s)}` and size at most 2s. The smaller of two bounds:
 *
 * - `sinh(kε)·√(2/(3s)) + 4δ′`, from both signs of the score;
 * - `√(2kε/s) + min{1/√(2kεs), √(π/(2s))} + 2δ′`, from `P[Z > λ] ≤ min{1, e^{kε − λ²/(2s)} + δ′}`.
 */
function scoreWithin({ copies, sparsity: s, epsilon, delta }: Fingerprints): number {
  const exponent = copies * epsilon;
  const groupDelta = delta === 0 ? 0 : (delta * Math.expm1(exponent)) / Math.expm1(epsilon);
  if (!(groupDelta < 1)) return Infinity;
  return Math.min(
    Math.sinh(exponent) * Math.sqrt(2 / (3 * s)) + 4 * groupDelta,
    Math.sqrt((2 * exponent) / s) +
      Math.min(1 / Math.sqrt(2 * exponent * s), Math.sqrt(Math.PI / (2 * s))) +
      2 * groupDelta,
  );
}

/** Rows of one block: signs of a random mean, over `√s`, with their number of copies. */
export function drawFingerprints(
  { distinct, copies, sparsity }: Pick<Fingerprints, 'distinct' | 'copies' | 'sparsity'>,
  random: RandomSource,
): readonly { readonly row: BlockRow; readonly copies: number }[] {
  const means = Float64Array.from({ length: sparsity }, () => 2 * random.uniform() - 1);
  const columns = Uint32Array.from(means, (_, j) => j);
  const size = 1 / Math.sqrt(sparsity);
  return Array.from({ length: distinct }, () => ({
    row: { columns, values: means.map((p) => (random.uniform() < (1 + p) / 2 ? size : -size)) },
    copies,
  }));
}
