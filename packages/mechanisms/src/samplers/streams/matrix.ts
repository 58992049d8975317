import { InvalidParameter, Unsupported } from '@lethe/core';
import type { SampledStream } from '@lethe/core';

/** Most steps of a stream whose matrix an analysis holds whole. */
const mostSteps = 2048;

/**
 * The columns of C from the diagonal down, as long as its band.
 *
 * @throws {InvalidParameter} for more than 2048 steps.
 */
export function columnsOf({ steps, bandwidth, encoder }: SampledStream): readonly Float64Array[] {
  if (steps > mostSteps)
    throw new InvalidParameter(
      `the stream has ${steps} steps; an analysis of its whole matrix takes ${mostSteps} at most`,
      { steps },
    );
  return Array.from({ length: steps }, (_, column) =>
    Float64Array.from({ length: Math.min(bandwidth, steps - column) }, (_row, k) =>
      encoder(column + k, column),
    ),
  );
}

/**
 * @throws {Unsupported} for a negative entry: participations could then hide each other, so that increments
 * that all point in one direction would not be the worst.
 */
export function assertNonNegative(columns: readonly Float64Array[], sampler: string): void {
  const column = columns.findIndex((entries) => entries.some((entry) => !(entry >= 0)));
  if (column < 0) return;
  throw new Unsupported(
    `the matrix of the prefix sum has the negative entry ${columns[column].find((one) => !(one >= 0))} in ` +
      `column ${column}; streams sampled by '${sampler}' are accounted where all entries are at least 0`,
    { sampler, column },
  );
}

/**
 * @throws {Unsupported} where a slot takes part again before the rows of its last increment end.
 */
export function assertBand(
  { steps, bandwidth }: Pick<SampledStream, 'steps' | 'bandwidth'>,
  gap: number,
  sampler: string,
): void {
  if (bandwidth <= gap || steps <= gap) return;
  throw new Unsupported(
    `the matrix of the prefix sum has a band of ${bandwidth} rows, and a slot takes part every ${gap} ` +
      `steps of '${sampler}'; take a prefix sum of at most ${gap} bands, such as banded-toeplitz`,
    { sampler, bandwidth, gap },
  );
}

/** `‖C_j‖²` of one column. */
export function columnSquareOf({ steps, bandwidth, encoder }: SampledStream, column: number): number {
  let square = 0;
  for (let row = column; row < Math.min(steps, column + bandwidth); row++)
    square += encoder(row, column) ** 2;
  return square;
}

/** `‖C_j‖²` for each column. */
export const columnSquares = (columns: readonly Float64Array[]): Float64Array =>
  Float64Array.from(columns, (entries) => entries.reduce((sum, entry) => sum + entry * entry, 0));

/**
 * For each column `j` and sums `y`: `(2⟨C_j, y⟩ − ‖C_j‖²)/(2σ²)`, the logarithm of the density of the sums of
 * a slot that takes part at step `j` alone, over that of the noise.
 */
export function stepRatios(
  columns: readonly Float64Array[],
  sigma: number,
): (sums: Float64Array, out: Float64Array) => void {
  const squares = columnSquares(columns);
  const scale = 1 / (sigma * sigma);
  return (sums, out) => {
    for (let j = 0; j < columns.length; j++) {
      const entries = columns[j];
      let product = 0;
      for (let k = 0; k < entries.length; k++) product += entries[k] * sums[j + k];
      out[j] = (product - squares[j] / 2) * scale;
    }
  };
}
