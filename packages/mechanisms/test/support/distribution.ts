/** The largest distance between an empirical distribution function and `cdf` (Kolmogorov's statistic). */
export function largestGap(samples: Float64Array, cdf: (x: number) => number): number {
  const n = samples.length;
  return samples.toSorted().reduce((gap, x, i) => Math.max(gap, cdf(x) - i / n, (i + 1) / n - cdf(x)), 0);
}

/**
 * What the statistic exceeds with probability at most 1e-9
 * (Dvoretzky, Kiefer, Wolfowitz, with Massart's constant).
 */
export const gapMargin = (n: number): number => Math.sqrt(Math.log(2 / 1e-9) / (2 * n));

/**
 * What a frequency over n independent trials exceeds its probability
 * by, either way, with probability at most `risk` (Hoeffding).
 */
export const frequencyMargin = (n: number, risk = 1e-9): number => Math.sqrt(Math.log(2 / risk) / (2 * n));
