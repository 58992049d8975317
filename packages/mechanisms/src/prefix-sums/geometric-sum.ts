import { divideUp, expm1Down, log1pDown, multiplyDown } from '@lethe/numerics';

/**
 * `Σ_{n < terms} q^n` for `q` in (−1, 1], given with its distance
 * to one so that nothing cancels where `q` is close to one.
 *
 * @param q - The ratio.
 * @param complement - `1 − q`, computed without cancellation.
 */
export function geometricSum(q: number, complement: number, terms: number): number {
  return complement === 0 || terms === 0 ? terms : powerComplement(q, complement, terms) / complement;
}

/** `1 − q^n`. */
function powerComplement(q: number, complement: number, n: number): number {
  if (q > 0.5) return -Math.expm1(n * Math.log1p(-complement));
  return 1 - q ** n;
}

/**
 * `Σ_{terms ≤ last} Σ_{n < terms} q^n`, for `terms = 1 … last`: the sum of the sums.
 *
 * As a power series in the complement, `Σ_k (−p)^k binom(last + 1, k + 2)`, where few terms suffice;
 * elsewhere `(last − q Σ_{n < last} q^n) / (1 − q)` loses two digits at most.
 */
export function doubleGeometricSum(q: number, complement: number, last: number): number {
  if (complement * last > 0.05) return (last - q * geometricSum(q, complement, last)) / complement;
  let term = ((last + 1) / 2) * last;
  let sum = term;
  for (let k = 1; k <= 8; k++) {
    term *= (-complement * (last - k)) / (k + 2);
    sum += term;
  }
  return sum;
}

/**
 * An upper bound of `Σ_{n < terms} q^n`, `q` in (0, 1), tight to a few roundings.
 *
 * @param complementDown - A lower bound of `1 − q`, positive.
 */
export function geometricSumUp(complementDown: number, terms: number): number {
  if (terms === 0) return 0;
  if (complementDown >= 1) return 1;
  const power = multiplyDown(terms, log1pDown(-complementDown));
  return Math.min(terms, divideUp(-expm1Down(power), complementDown));
}
