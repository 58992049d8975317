import { InvalidParameter, type RandomSource, type Vector } from '@lethe/core';
import { sampleWithoutReplacement, sqrtUp } from '@lethe/numerics';
import { assertLength, type LinearSketch } from './linear-sketch.js';

/** The least power of two that is at least `dimension`. */
export const paddedLength = (dimension: number): number => 2 ** Math.ceil(Math.log2(dimension));

/**
 * Replaces `x` by `H x`, `H` the Hadamard matrix of signs
 * `(−1)^popcount(i & j)`, in `n log₂ n` additions; `H H = n I`.
 *
 * @throws {InvalidParameter} unless the length is a power of two.
 */
export function walshHadamardInPlace(x: Vector): void {
  const n = x.length;
  if (n < 1 || 2 ** Math.round(Math.log2(n)) !== n)
    throw new InvalidParameter(`a vector of length ${n} was given; its length must be a power of two`, {
      length: n,
    });
  for (let half = 1; half < n; half *= 2) {
    for (let start = 0; start < n; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const a = x[i];
        const b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

/**
 * A subsampled randomised Hadamard transform: random signs, the Hadamard transform padded with zeros to `n`,
 * a power of two, and `rows` of its `n` entries without replacement, over √rows. `E SᵀS = I`;
 * `E‖SᵀSz − z‖² = (dimension − 1)(n − rows)/(rows (n − 1)) · ‖z‖²` for every `z`. Its rows are orthogonal:
 * the norm is `√(n/rows)`, whatever the randomness, and attained where `dimension` is `n`.
 *
 * @see Ailon and Chazelle 2006; Tropp 2011.
 */
export function srht(random: RandomSource, dimension: number, rows: number): LinearSketch {
  assertSrht(dimension, rows);
  const n = paddedLength(dimension);
  const unit = 1 / Math.sqrt(rows);
  const signs = Int8Array.from({ length: dimension }, () => 2 * random.integer(2) - 1);
  const chosen = sampleWithoutReplacement(random, n, rows);
  return {
    length: rows,
    norm: sqrtUp(n / rows),
    apply(vector) {
      assertLength(vector, dimension, 'a vector');
      const padded = new Float64Array(n);
      for (let j = 0; j < dimension; j++) padded[j] = signs[j] * vector[j];
      walshHadamardInPlace(padded);
      return Float64Array.from(chosen, (row) => unit * padded[row]);
    },
    transpose(sketched) {
      assertLength(sketched, rows, 'a sketch');
      const padded = new Float64Array(n);
      for (let i = 0; i < rows; i++) padded[chosen[i]] = unit * sketched[i];
      walshHadamardInPlace(padded);
      return padded.subarray(0, dimension).map((x, j) => signs[j] * x);
    },
  };
}

/**
 * @throws {InvalidParameter} unless both are whole numbers from 1 on,
 * the padded dimension is at most 2³⁰ and has as many rows.
 */
export function assertSrht(dimension: number, rows: number): void {
  if (!Number.isSafeInteger(dimension) || dimension < 1 || dimension > 2 ** 30)
    throw new InvalidParameter(`the dimension is ${dimension}; it must be a whole number from 1 to 2^30`, {
      dimension,
    });
  const n = paddedLength(dimension);
  if (!Number.isSafeInteger(rows) || rows < 1 || rows > n)
    throw new InvalidParameter(
      `${rows} rows were asked for; padded to a power of two, dimension ${dimension} has ${n}`,
      { rows, dimension, most: n },
    );
}
