import { logNormalCdf, type Bounds } from '@lethe/numerics';

/** `sign · e^logSize · Φ(−at)`. */
export interface NormalTerm {
  readonly sign: number;
  readonly logSize: number;
  readonly at: number;
}

/**
 * Bounds of `Σ terms`, clamped to [0, 1]. The terms must be evaluated at the point that maximises the sum:
 * there an error of the point has a second-order effect only.
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
