import { InvalidParameter } from '../errors.js';
import { type Bounds, boundsAround } from '../search/bounds.js';
import { stirlingError } from './log-gamma.js';

const halfLogTwoPi = 0.9189385332046728;

/**
 * `log C(n, k)` for integers `0 ≤ k ≤ n ≤ 2^53`, relative error below 2e-15 (measured: 3e-16).
 *
 * Small `k`: the product. Otherwise Stirling's formula in the entropy form, whose large terms have one sign
 * and do not cancel as three log-gammas would.
 *
 * @throws {InvalidParameter} unless `n` and `k` are safe integers with `0 ≤ k ≤ n`.
 */
export function logBinomial(n: number, k: number): number {
  if (!Number.isSafeInteger(n) || !Number.isSafeInteger(k) || k < 0 || k > n) {
    throw new InvalidParameter(`logBinomial needs integers 0 ≤ k ≤ n, got n = ${n}, k = ${k}`, { n, k });
  }
  const smaller = Math.min(k, n - k);
  if (smaller < 16) {
    let product = 1;
    for (let i = 1; i <= smaller; i++) product *= (n - smaller + i) / i;
    return Math.log(product);
  }
  const larger = n - smaller;
  const fraction = smaller / n;
  const entropy = -smaller * Math.log(fraction) - larger * Math.log1p(-fraction);
  const correction = stirlingError(n) - stirlingError(smaller) - stirlingError(larger);
  return entropy + (correction - halfLogTwoPi - 0.5 * Math.log(smaller * (larger / n)));
}

/**
 * Bounds of {@link logBinomial}, granting 4e-15 of relative error.
 * @throws {InvalidParameter} as {@link logBinomial}.
 */
export function logBinomialBounds(n: number, k: number): Bounds {
  const value = logBinomial(n, k);
  return value === 0 ? { lower: 0, upper: 0 } : boundsAround(value, 4e-15);
}
