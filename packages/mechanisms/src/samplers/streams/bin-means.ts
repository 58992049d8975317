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

let latest:
  | { readonly means: readonly Float64Array[]; readonly products: readonly Float64Array[] }
  | undefined;

/** `⟨m_j, m_l⟩`, rounded up; kept for the next call, which often has the same means. */
export function binProducts(means: readonly Float64Array[]): readonly Float64Array[] {
  const isSame =
    latest?.means.length === means.length &&
    latest.means.every((mean, j) => {
      const one = means[j];
      return mean.length === one.length && mean.every((entry, row) => entry === one[row]);
    });
  if (latest !== undefined && isSame) return latest.products;
  const products = means.map(() => new Float64Array(means.length));
  means.forEach((mean, j) => {
    for (let l = 0; l <= j; l++) {
      const other = means[l];
      let product = 0;
      for (let row = 0; row < mean.length; row++) product += mean[row] * other[row];
      products[j][l] = product * (1 + 2 ** -40);
      products[l][j] = products[j][l];
    }
  });
  latest = { means, products };
  return products;
}
