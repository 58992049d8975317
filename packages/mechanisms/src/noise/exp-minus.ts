import { log2Floor, type Fraction } from './dyadic.js';

/**
 * `2^bits · e^(−x)` for a rational `x ≥ 0`, as a whole number that is off by at most 2. Whole numbers only:
 * `x / 2^k` in Taylor's series, and `k` squarings, with enough bits below that all truncations together are
 * less than one.
 */
export function expMinus({ numerator, denominator }: Fraction, bits: number): bigint {
  // e^(−x) < 2^−bits.
  if (numerator >= denominator * BigInt(bits)) return 0n;
  // The quotient, plus 1, bounds x: after the halvings x is below 1/256.
  const halvings = log2Floor(numerator / denominator + 1n) + 9;
  // Terms are off by 2 each and fewer than bits + 64; a squaring doubles errors and adds 1.
  const spare = halvings + log2Floor(BigInt(bits)) + 16;
  const precision = BigInt(bits + spare);
  const x = (numerator << precision) / (denominator << BigInt(halvings));
  let term = 1n << precision;
  let power = term;
  for (let k = 1n; term > 0n; k++) {
    term = ((term * x) >> precision) / k;
    power += k % 2n === 1n ? -term : term;
  }
  for (let k = 0; k < halvings; k++) power = (power * power) >> precision;
  return power >> BigInt(spare);
}
