import { InvalidParameter } from '../errors.js';
import { accumulate } from './accumulate.js';
import { margins } from './margins.js';
import { rowAt, rowCount, rowsBetween, type Matrix, type Rows } from './matrix.js';

/** One call of {@link multiOutputSum}. */
export interface MultiOutputSum {
  readonly X: Matrix;
  /** `[outputs, columns]`, row-major: one row of weights for each output. */
  readonly w: Float64Array;
  readonly rows: Rows;
  readonly outputs: number;
  /**
   * Turns the outputs `⟨w_k, x⟩` of one row of the matrix into the coefficients of `x` in the sum, in place;
   * `[outputs]`, lent. Coefficients that are not finite count as zeros.
   */
  coefficientsInPlace(outputs: Float64Array, row: number): void;
  /** `[outputs, columns]`. */
  readonly out: Float64Array;
}

/** Numbers of a block of rows that is to stay in the first cache levels while each output passes over it. */
const block = 16_384;

/** Rows that {@link multiOutputSum} adds up at a time. */
export const multiOutputRows = (columns: number): number => Math.max(1, Math.floor(block / columns));

/**
 * `out += Σ c ⊗ x` over the chosen rows: coefficients of one row for all outputs at once, products with the
 * matrix by the kernels of single outputs. Same input, same bits.
 *
 * @returns `out`.
 * @throws {InvalidParameter} when a length does not fit or a row does not exist.
 */
export function multiOutputSum({
  X,
  w,
  rows,
  outputs,
  coefficientsInPlace,
  out,
}: MultiOutputSum): Float64Array {
  const { columns } = X;
  if (
    !(Number.isSafeInteger(outputs) && outputs > 0) ||
    w.length !== outputs * columns ||
    out.length !== outputs * columns
  ) {
    throw new InvalidParameter(
      `${outputs} outputs of ${columns} columns need ${outputs * columns} weights and as many sums; ` +
        `got ${w.length} and ${out.length}`,
      { outputs, columns, weights: w.length, sums: out.length },
    );
  }
  const together = Math.max(1, Math.min(rowCount(rows), multiOutputRows(columns)));
  const products = Array.from({ length: outputs }, () => new Float64Array(together));
  const one = new Float64Array(outputs);
  for (let from = 0; from < rowCount(rows); from += together) {
    const count = Math.min(together, rowCount(rows) - from);
    const some = rowsBetween(rows, from, from + count);
    const parts = count === together ? products : products.map((product) => product.subarray(0, count));
    parts.forEach((part, k) => margins(X, w.subarray(k * columns, (k + 1) * columns), some, part));
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < outputs; k++) one[k] = parts[k][i];
      coefficientsInPlace(one, rowAt(some, i));
      const ok = allFinite(one);
      for (let k = 0; k < outputs; k++) parts[k][i] = ok ? one[k] : 0;
    }
    parts.forEach((part, k) => accumulate(X, part, some, out.subarray(k * columns, (k + 1) * columns)));
  }
  return out;
}

function allFinite(vector: Float64Array): boolean {
  let sum = 0;
  for (let k = 0; k < vector.length; k++) sum += vector[k] - vector[k];
  return sum === 0;
}
