import { productError } from './error-free.js';
import { exponentOf, scaleByPowerOfTwo } from './neighbours.js';
import { roundSigned } from './round-magnitude.js';
import { undefinedResult } from './undefined-result.js';

function divide(a: number, b: number, up: boolean): number {
  const q = a / b;
  if (q !== q || b === 0) throw undefinedResult('a / b', a, b);
  if (a === 0 || !Number.isFinite(a) || !Number.isFinite(b)) return q;
  const aExponent = exponentOf(a);
  const bExponent = exponentOf(b);
  const numerator = scaleByPowerOfTwo(Math.abs(a), -aExponent);
  const denominator = scaleByPowerOfTwo(Math.abs(b), -bExponent);
  const quotient = numerator / denominator;
  const product = quotient * denominator;
  // The remainder of a correctly rounded division is a double; its sign is the sign of the quotient's error.
  const remainder = numerator - product - productError(quotient, denominator, product);
  return roundSigned(
    a < 0 !== b < 0,
    quotient,
    (Math.sign(remainder) * quotient) / 2 ** 53,
    aExponent - bExponent,
    up,
  );
}

/**
 * The smallest double that is at least `a / b`.
 *
 * @throws {InvalidParameter} on NaN, on a zero divisor (of either sign) and on `Infinity / Infinity`.
 */
export function divideUp(a: number, b: number): number {
  return divide(a, b, true);
}

/** The largest double that is at most `a / b`. @throws {InvalidParameter} as {@link divideUp}. */
export function divideDown(a: number, b: number): number {
  return divide(a, b, false);
}
