import type { Vector } from '@lethe/core';
import { dotsInto, type Columns } from './pivoting-basis.js';

/**
 * A vector whose large entries are likely to be those of the shortest solution in ℓ1: some iterations of the
 * alternating direction method, each a projection onto `A x = target` by one Cholesky factor of `A Aᵀ` and a
 * soft threshold. Nothing is promised of it.
 *
 * @returns zeros when `A Aᵀ` is singular to working precision.
 */
export function nearBasisPursuit(
  { data, rows, columns }: Columns,
  target: Vector,
  iterations: number,
): Vector {
  const factor = choleskyOfGram(data, rows, columns);
  const x = new Float64Array(columns);
  const y = new Float64Array(columns);
  const u = new Float64Array(columns);
  const towards = new Float64Array(columns);
  const left = new Float64Array(rows);
  if (factor === undefined) return y;
  let threshold = 0;
  for (let turn = 0; turn < iterations; turn++) {
    left.set(target);
    for (let j = 0; j < columns; j++) {
      x[j] = y[j] - u[j];
      for (let i = 0, at = j * rows; i < rows; i++) left[i] -= data[at + i] * x[j];
    }
    solveInPlace(factor, rows, left);
    dotsInto(towards, data, left, { length: rows });
    for (let j = 0; j < columns; j++) x[j] += towards[j];
    // The first x has least ℓ2 norm: a few times its usual entry is the size of those that will be left.
    if (turn === 0) threshold = 2 * Math.sqrt(x.reduce((total, e) => total + e * e, 0) / columns);
    for (let j = 0; j < columns; j++) {
      const v = x[j] + u[j];
      y[j] = Math.sign(v) * Math.max(0, Math.abs(v) - threshold);
      u[j] = v - y[j];
    }
  }
  return y;
}

/** The lower factor of `A Aᵀ`, row after row; `undefined` where a pivot is not positive. */
function choleskyOfGram(data: Float64Array, rows: number, columns: number): Float64Array | undefined {
  const factor = new Float64Array(rows * rows);
  for (let j = 0; j < columns; j++) {
    for (let r = 0; r < rows; r++) {
      const x = data[j * rows + r];
      if (x !== 0) for (let q = 0; q <= r; q++) factor[r * rows + q] += x * data[j * rows + q];
    }
  }
  for (let r = 0; r < rows; r++) {
    for (let q = 0; q <= r; q++) {
      let sum = factor[r * rows + q];
      for (let k = 0; k < q; k++) sum -= factor[r * rows + k] * factor[q * rows + k];
      if (q < r) factor[r * rows + q] = sum / factor[q * rows + q];
      else if (sum > 0) factor[r * rows + r] = Math.sqrt(sum);
      else return undefined;
    }
  }
  return factor;
}

function solveInPlace(factor: Float64Array, rows: number, vector: Vector): void {
  for (let r = 0; r < rows; r++) {
    let rest = vector[r];
    for (let k = 0; k < r; k++) rest -= factor[r * rows + k] * vector[k];
    vector[r] = rest / factor[r * rows + r];
  }
  for (let r = rows - 1; r >= 0; r--) {
    const found = vector[r] / factor[r * rows + r];
    vector[r] = found;
    for (let k = 0; k < r; k++) vector[k] -= factor[r * rows + k] * found;
  }
}
