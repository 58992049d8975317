import { multiplyUp } from '@lethe/numerics';
import type { DenseRows } from '../labelled-rows.js';

/** `XᵀX / n` as its diagonal and its correlations, with what rounding may have done to them. */
export interface ScaledGram {
  /** `[columns]`: upper bounds on the mean squares of the columns. */
  readonly meanSquares: Float64Array;
  /**
   * `[columns²]`, row-major, symmetric: the matrix divided by the
   * roots of its diagonal; a column of zeros has a row of zeros.
   */
  readonly correlations: Float64Array;
  /** No correlation is further than this from its exact value. */
  readonly radius: number;
}

/**
 * O(rows·columns²). Columns are brought to one size by powers of
 * two first, so that nothing overflows or vanishes.
 */
export function scaledGram({ features, rows, columns }: DenseRows): ScaledGram {
  const units = new Float64Array(columns);
  for (let k = 0, j = 0; k < features.length; k++, j = j + 1 === columns ? 0 : j + 1)
    units[j] = Math.max(units[j], Math.abs(features[k]));
  for (let j = 0; j < columns; j++) if (units[j] > 0) units[j] = 2 ** Math.floor(Math.log2(units[j]));
  const sums = new Float64Array(columns * columns);
  const row = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) row[j] = units[j] > 0 ? features[i * columns + j] / units[j] : 0;
    for (let j = 0; j < columns; j++) {
      const x = row[j];
      for (let k = 0; k <= j; k++) sums[j * columns + k] += x * row[k];
    }
  }
  // A sum of n rounded products is off by at most n·2⁻⁵³ of the sum of their sizes, which Cauchy and Schwarz
  // bound by the diagonal; twice that where two are divided.
  const radius = (4 * rows + 64) * 2 ** -53;
  const correlations = new Float64Array(columns * columns);
  for (let j = 0; j < columns; j++) {
    for (let k = 0; k <= j; k++) {
      const size = Math.sqrt(sums[j * columns + j]) * Math.sqrt(sums[k * columns + k]);
      const value = size > 0 ? sums[j * columns + k] / size : 0;
      correlations[j * columns + k] = value;
      correlations[k * columns + j] = value;
    }
  }
  const meanSquares = Float64Array.from({ length: columns }, (_, j) =>
    multiplyUp(multiplyUp((sums[j * columns + j] / rows) * (1 + radius), units[j]), units[j]),
  );
  return { meanSquares, correlations, radius };
}
