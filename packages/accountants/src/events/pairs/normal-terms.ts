import { logNormalCdf, type Bounds } from '@lethe/numerics';

/** `sign · e^logSize · Φ(−at)`. */
export interface NormalTerm { readonly sign: number; readonly logSize: number; readonly at: number }

/**
 * Bounds of `base + Σ terms` within [0, 1], where the terms are taken at the point that makes the sum largest: there an error of the point
 * counts with its square only.
 */
export function sumOfNormalTerms(terms: readonly NormalTerm[]): Bounds {
  let sum = 0;
  let error = 0;
  for (const { sign, logSize, at } of terms) {
    if (logSize === -Infinity) continue;
    const tail = logNormalCdf(-at);
    const term = Math.exp(logSize + tail);
    if (term === 0) {
      error += Number.MIN_VALUE;
      continue;
    }
    sum += sign * term;
    error += term * 2 ** -49 * (4 + Math.abs(logSize) + 4 * Math.abs(tail));
  }
  return { lower: Math.min(1, Math.max(0, sum - error)), upper: Math.min(1, Math.max(0, sum + error)) };
}
