import type { SampledStream } from '@lethe/core';
import { assertNonNegative, columnsOf } from './matrix.js';

/**
 * The means of the sums of a slot that is in each of the bins, for increments of 1: `m_j` is the sum of the
 * columns `j, j + bins, …` of C.
 *
 * @throws {Unsupported} for a negative entry of C.
 */
export function binMeans(stream: SampledStream, bins: number, sampler: string): readonly Float64Array[] {
  const columns = columnsOf(stream);
  assertNonNegative(columns, sampler);
  const means = Array.from({ length: bins }, () => new Float64Array(stream.steps));
  columns.forEach((entries, column) => {
    const mean = means[column % bins];
    for (let k = 0; k < entries.length; k++) mean[column + k] += entries[k];
  });
  return means;
}

/** `⟨m_j, m_l⟩/σ²`, rounded up. */
export function binProducts(means: readonly Float64Array[], sigma: number): readonly Float64Array[] {
  const scale = (1 + 2 ** -40) / (sigma * sigma);
  return means.map((mean) =>
    Float64Array.from(means, (other) => {
      let product = 0;
      for (let row = 0; row < mean.length; row++) product += mean[row] * other[row];
      return product * scale;
    }),
  );
}
