import { productError } from './error-free.js';
import { exponentOf, nextDown, nextUp, scaleByPowerOfTwo } from './neighbours.js';
import { roundSigned } from './round-magnitude.js';
import { undefinedResult } from './undefined-result.js';

function multiply(a: number, b: number, up: boolean): number {
  const p = a * b;
  if (p !== p) throw undefinedResult('a · b', a, b);
  if (a === 0 || b === 0 || !Number.isFinite(a) || !Number.isFinite(b)) return p;
  const size = Math.abs(p);
  if (size > 1e-270 && size < 1e290 && Math.abs(a) < 1e290 && Math.abs(b) < 1e290) {
    const error = productError(a, b, p);
    if (up) return error > 0 ? nextUp(p) : p;
    return error < 0 ? nextDown(p) : p;
  }
  const aExponent = exponentOf(a);
  const bExponent = exponentOf(b);
  const aMantissa = scaleByPowerOfTwo(Math.abs(a), -aExponent);
  const bMantissa = scaleByPowerOfTwo(Math.abs(b), -bExponent);
  const mantissa = aMantissa * bMantissa;
  const error = productError(aMantissa, bMantissa, mantissa);
  return roundSigned(a < 0 !== b < 0, mantissa, error, aExponent + bExponent, up);
}

/**
 * The smallest double that is at least `a · b`.
 *
 * @throws {InvalidParameter} on NaN and on `0 · Infinity`.
 */
export function multiplyUp(a: number, b: number): number {
  return multiply(a, b, true);
}

/** The largest double that is at most `a · b`. @throws {InvalidParameter} as {@link multiplyUp}. */
export function multiplyDown(a: number, b: number): number {
  return multiply(a, b, false);
}
