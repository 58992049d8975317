import type { Vector } from '@lethe/core';

/** The columns of a wide matrix, one after another in one array. */
export interface Columns {
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** `⟨column j, vector⟩`. */
export function dot({ data, rows }: Columns, j: number, vector: Vector): number {
  let sum = 0;
  for (let i = 0, at = j * rows; i < rows; i++) sum += data[at + i] * vector[i];
  return sum;
}

/**
 * `out[j] = ⟨the numbers of `data` from `j · length` on, those of `vector` from `offset` on⟩` for every entry
 * of `out`. Four sums at a time, each in the order of its terms: none waits for another.
 */
export function dotsInto(
  out: Float64Array,
  data: Float64Array,
  vector: Float64Array,
  { length, offset = 0 }: { readonly length: number; readonly offset?: number },
): void {
  let j = 0;
  for (; j + 4 <= out.length; j += 4) {
    const first = j * length;
    const second = first + length;
    const third = second + length;
    const fourth = third + length;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < length; i++) {
      const x = vector[offset + i];
      a += data[first + i] * x;
      b += data[second + i] * x;
      c += data[third + i] * x;
      d += data[fourth + i] * x;
    }
    out[j] = a;
    out[j + 1] = b;
    out[j + 2] = c;
    out[j + 3] = d;
  }
  for (; j < out.length; j++) {
    let sum = 0;
    for (let i = 0, at = j * length; i < length; i++) sum += data[at + i] * vector[offset + i];
    out[j] = sum;
  }
}

/** As many independent columns as there are rows, with the inverse of the square matrix they make. */
export interface PivotingBasis {
  /** Which column stands at each position; −1 where the unit vector of that position still does. */
  readonly members: Int32Array;
  /** Coefficients of `vector` in the basis. */
  solveInto(out: Vector, vector: Vector): Vector;
  /** The `y` with `⟨column, y⟩ = values[position]` for every column of the basis. */
  solveTransposedInto(out: Vector, values: Vector): Vector;
  /** Coefficients of column `j` of the matrix. */
  coefficientsInto(out: Vector, j: number): Vector;
  /** Puts column `j`, whose coefficients are given, at `position`; its coefficient there must not be zero. */
  replace(position: number, j: number, coefficients: Vector): void;
  /** Computes the inverse afresh; `false` when the columns are dependent to working precision. */
  refresh(): boolean;
}

/** The basis of unit vectors. Memory: the square of `rows`, twice. */
export function pivotingBasis({ data, rows: m }: Columns): PivotingBasis {
  const members = new Int32Array(m).fill(-1);
  let inverse = identity(m);
  const timesInto = (out: Vector, vector: Float64Array, offset: number): Vector => {
    dotsInto(out, inverse, vector, { length: m, offset });
    return out;
  };
  const pivot = (matrix: Float64Array, at: number, coefficients: Vector): void => {
    const by = 1 / coefficients[at];
    for (let k = at * m; k < (at + 1) * m; k++) matrix[k] *= by;
    for (let i = 0; i < m; i++) {
      const factor = coefficients[i];
      if (i === at || factor === 0) continue;
      for (let k = 0; k < m; k++) matrix[i * m + k] -= factor * matrix[at * m + k];
    }
  };
  return {
    members,
    solveInto: (out, vector) => timesInto(out, vector, 0),
    coefficientsInto: (out, j) => timesInto(out, data, j * m),
    solveTransposedInto(out, values) {
      out.fill(0);
      for (let i = 0; i < m; i++) {
        const value = values[i];
        for (let k = 0, at = i * m; k < m; k++) out[k] += value * inverse[at + k];
      }
      return out;
    },
    replace(position, j, coefficients) {
      pivot(inverse, position, coefficients);
      members[position] = j;
    },
    refresh() {
      const fresh = invert(m, (i, k) => data[members[k] * m + i]);
      if (fresh !== undefined) inverse = fresh;
      return fresh !== undefined;
    },
  };
}

function identity(m: number): Float64Array {
  const matrix = new Float64Array(m * m);
  for (let i = 0; i < m; i++) matrix[i * (m + 1)] = 1;
  return matrix;
}

/** Gauss–Jordan elimination with row pivoting. */
function invert(m: number, entry: (row: number, column: number) => number): Float64Array | undefined {
  const left = Float64Array.from({ length: m * m }, (_, at) => entry(Math.floor(at / m), at % m));
  const right = identity(m);
  for (let c = 0; c < m; c++) {
    let best = c;
    for (let i = c + 1; i < m; i++) if (Math.abs(left[i * m + c]) > Math.abs(left[best * m + c])) best = i;
    const by = 1 / left[best * m + c];
    if (!Number.isFinite(by)) return undefined;
    for (const matrix of [left, right]) {
      for (let k = 0; k < m; k++) {
        const held = matrix[best * m + k];
        matrix[best * m + k] = matrix[c * m + k];
        matrix[c * m + k] = held * by;
      }
    }
    for (let i = 0; i < m; i++) {
      const factor = left[i * m + c];
      if (i === c || factor === 0) continue;
      for (let k = c; k < m; k++) left[i * m + k] -= factor * left[c * m + k];
      for (let k = 0; k < m; k++) right[i * m + k] -= factor * right[c * m + k];
    }
  }
  return right;
}
