import type { Spread } from '../experiment/results.js';

/** Relative differences below this are rounding, such as sums in another order. */
export const roundingShare = 1e-12;

/**
 * Mean with its standard error, and five numbers (quartiles by linear interpolation). One value has standard
 * error 0, and so have values that differ by rounding alone.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const largest = Math.max(Math.abs(sorted[0]), Math.abs(sorted[n - 1]));
  const isOne = n < 2 || (largest < Infinity && sorted[n - 1] - sorted[0] <= roundingShare * largest);
  const variance = isOne ? 0 : sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const quantile = (p: number): number => {
    const at = p * (n - 1);
    const low = Math.floor(at);
    const high = Math.min(low + 1, n - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  };
  return {
    mean,
    standardError: Math.sqrt(variance / n),
    minimum: sorted[0],
    lowerQuartile: quantile(0.25),
    median: quantile(0.5),
    upperQuartile: quantile(0.75),
    maximum: sorted[n - 1],
  };
}
