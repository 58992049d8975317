import { parseOrThrow } from '@lethe/core';
import type { CsrMatrix } from '@lethe/numerics';
import type { DataRandom } from './random-source.js';
import { sparseSpec, type SparseSpec } from './sparse-spec.js';

/** Sparse rows of ℓ2 norm 1, labels ±1, and the weights behind them, `[columns]`. */
export interface SparseData {
  readonly features: CsrMatrix;
  readonly labels: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Rows like bags of words: each draws `entries` columns independently by a power law, counts them, and is
 * scaled to ℓ2 norm 1. Labels are those of a linear model with random weights. The same description and
 * random source give the same data.
 *
 * @throws {InvalidParameter} for a description outside {@link sparseSpec}.
 */
export function sparseData(description: SparseSpec, random: DataRandom): SparseData {
  const { rows, columns, entries, exponent, weightNorm, flipped } = parseOrThrow(
    sparseSpec,
    description,
    'sparse data',
  );
  const columnOf = powerLaw(columns, exponent);
  const weights = random.fork('weights').gaussianInto(new Float64Array(columns));
  const length = Math.sqrt(weights.reduce((sum, value) => sum + value * value, 0));
  for (let j = 0; j < columns; j++) weights[j] *= weightNorm / length;
  const rowStarts = new Float64Array(rows + 1);
  const columnIndices = new Uint32Array(rows * entries);
  const values = new Float64Array(rows * entries);
  const labels = new Float64Array(rows);
  const words = random.fork('features');
  const randomness = random.fork('labels');
  const bag = new Uint32Array(entries);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < entries; k++) bag[k] = columnOf(words.uniform());
    bag.sort();
    const from = at;
    for (let k = 0; k < entries; k++) {
      if (k === 0 || bag[k] !== bag[k - 1]) columnIndices[at++] = bag[k];
      values[at - 1] += 1;
    }
    let square = 0;
    for (let k = from; k < at; k++) square += values[k] ** 2;
    let margin = 0;
    for (let k = from; k < at; k++) {
      values[k] /= Math.sqrt(square);
      margin += values[k] * weights[columnIndices[k]];
    }
    rowStarts[row + 1] = at;
    const isPositive =
      flipped === undefined
        ? randomness.uniform() < 1 / (1 + Math.exp(-margin))
        : margin < 0 === randomness.uniform() < flipped;
    labels[row] = isPositive ? 1 : -1;
  }
  return {
    features: {
      rows,
      columns,
      rowStarts,
      columnIndices: columnIndices.slice(0, at),
      values: values.slice(0, at),
    },
    labels,
    weights,
  };
}

/** The column of a uniform number, by the inverse of the cumulated chances. */
function powerLaw(columns: number, exponent: number): (uniform: number) => number {
  const upTo = new Float64Array(columns);
  let total = 0;
  for (let j = 0; j < columns; j++) {
    total += (j + 1) ** -exponent;
    upTo[j] = total;
  }
  return (uniform) => {
    const wanted = uniform * total;
    let [low, high] = [0, columns - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
