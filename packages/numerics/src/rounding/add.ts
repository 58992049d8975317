import { sumError } from './error-free.js';
import { nextDown, nextUp } from './neighbours.js';
import { undefinedResult } from './undefined-result.js';

/**
 * The smallest double that is at least `a + b`.
 *
 * @throws {InvalidParameter} on NaN and on `Infinity − Infinity`.
 */
export function addUp(a: number, b: number): number {
  const s = a + b;
  if (s !== s) throw undefinedResult('a + b', a, b);
  if (!Number.isFinite(s)) return s < 0 && a !== s && b !== s ? -Number.MAX_VALUE : s;
  return sumError(a, b, s) > 0 ? nextUp(s) : s;
}

/** The largest double that is at most `a + b`. @throws {InvalidParameter} as {@link addUp}. */
export function addDown(a: number, b: number): number {
  const s = a + b;
  if (s !== s) throw undefinedResult('a + b', a, b);
  if (!Number.isFinite(s)) return s > 0 && a !== s && b !== s ? Number.MAX_VALUE : s;
  return sumError(a, b, s) < 0 ? nextDown(s) : s;
}

/** The smallest double that is at least `a − b`. @throws {InvalidParameter} as {@link addUp}. */
export function subtractUp(a: number, b: number): number {
  return addUp(a, -b);
}

/** The largest double that is at most `a − b`. @throws {InvalidParameter} as {@link addUp}. */
export function subtractDown(a: number, b: number): number {
  return addDown(a, -b);
}
