import type { Loss, Resolved } from '@lethe/core';
import type { MatrixView } from '@lethe/numerics';

/** Upper ends of the bins of gradient norms, as shares of the largest norm that the loss allows. */
const bins = 24;
const ratio = Math.SQRT2;

/** Number of bins, which is the width of the vectors of {@link normBins}. */
export const normBinCount = bins;

/** Upper end of a bin. */
export const binEnd = (bin: number, largest: number): number => largest * ratio ** (bin - bins + 1);

/**
 * For each record a one in the bin of the norm of its gradient at the origin, `[rows, bins]`; nothing for a
 * record that is left out.
 *
 * @param largest - Public: norms at or above it count in the last bin.
 */
export function normBins(
  { plugin, params }: Resolved<Loss>,
  rows: MatrixView,
  labels: Float64Array,
  { leftOut, largest }: { readonly leftOut: Uint8Array; readonly largest: number },
): Float64Array {
  const dimension = plugin.iterateDimension(params, rows.columns);
  const at = new Float64Array(dimension);
  const gradient = new Float64Array(dimension);
  const features = new Float64Array(rows.columns);
  const out = new Float64Array(rows.rows * bins);
  for (let i = 0; i < rows.rows; i++) {
    if (leftOut[i] === 1) continue;
    for (let j = 0; j < rows.columns; j++)
      features[j] = rows.data[rows.offset + i * rows.rowStride + j * rows.columnStride];
    // What another record left there is no part of this one's.
    gradient.fill(0);
    plugin.gradientInto(params, gradient, at, { features, label: labels[i] });
    let sum = 0;
    for (const entry of gradient) sum += entry * entry;
    const size = Math.sqrt(sum);
    let bin = bins - 1;
    while (bin > 0 && size <= binEnd(bin - 1, largest)) bin--;
    out[i * bins + bin] = 1;
  }
  return out;
}

/**
 * The upper end of the bin below which a share of the records lies, by noisy counts.
 *
 * @param noise - Standard deviation of the noise in a count; counts below twice as much are taken for none.
 */
export function quantileOf(
  counts: Float64Array,
  { share, largest, noise }: { readonly share: number; readonly largest: number; readonly noise: number },
): number {
  const kept = counts.map((count) => (count > 2 * noise ? count : 0));
  const total = kept.reduce((sum, count) => sum + count, 0);
  if (total === 0) return largest;
  let below = 0;
  for (let bin = 0; bin < bins; bin++) {
    below += kept[bin];
    if (below >= share * total) return binEnd(bin, largest);
  }
  return largest;
}
