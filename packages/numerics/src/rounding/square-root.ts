import { productError } from './error-free.js';
import { exponentOf, nextDown, nextUp, scaleByPowerOfTwo } from './neighbours.js';
import { undefinedResult } from './undefined-result.js';

function squareRoot(x: number, up: boolean): number {
  if (!(x >= 0)) throw undefinedResult('sqrt', x);
  if (x === 0 || x === Infinity) return x;
  const half = Math.floor(exponentOf(x) / 2);
  const mantissa = scaleByPowerOfTwo(x, -2 * half);
  const root = Math.sqrt(mantissa);
  const square = root * root;
  const remainder = mantissa - square - productError(root, root, square);
  const nearest = scaleByPowerOfTwo(root, half);
  if (up) return remainder > 0 ? nextUp(nearest) : nearest;
  return remainder < 0 ? nextDown(nearest) : nearest;
}

/**
 * The smallest double that is at least `√x`, `x ≥ 0`.
 *
 * Assumes that `Math.sqrt` rounds correctly, as it does in
 * every engine that uses the processor's instruction.
 *
 * @throws {InvalidParameter} on NaN and on negative numbers.
 */
export function sqrtUp(x: number): number {
  return squareRoot(x, true);
}

/** The largest double that is at most `√x`. @throws {InvalidParameter} as {@link sqrtUp}. */
export function sqrtDown(x: number): number {
  return squareRoot(x, false);
}
