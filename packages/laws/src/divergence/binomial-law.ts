import { logBinomial } from '@lethe/numerics';

/** Probabilities of `0, …, n` successes. */
export function binomialDistribution(n: number, rate: number): readonly number[] {
  if (rate === 1) return [...Array.from({ length: n }, () => 0), 1];
  return Array.from({ length: n + 1 }, (_, k) =>
    Math.exp(logBinomial(n, k) + (k === 0 ? 0 : k * Math.log(rate)) + (n - k) * Math.log1p(-rate)),
  );
}
