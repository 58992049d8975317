import { roundDoubleDouble } from './double-double.js';
import { logarithm, logarithmOfOnePlus } from './logarithm-double-double.js';
import { nextDown } from './neighbours.js';
import { undefinedResult } from './undefined-result.js';

function log(x: number, up: boolean): number {
  if (!(x >= 0)) throw undefinedResult('log', x);
  if (x === 0) return -Infinity;
  if (x === Infinity) return x;
  return x === 1 ? 0 : roundDoubleDouble(logarithm(x), up);
}

/**
 * A double that is at least `log x`, `x ≥ 0`, and at most one step above the nearest double.
 *
 * Computed here to 90 bits; the platform's logarithm is only a starting point, and its error does not matter.
 *
 * @throws {InvalidParameter} on NaN and on negative numbers.
 */
export function logUp(x: number): number {
  return log(x, true);
}

/** A double that is at most `log x`; otherwise as {@link logUp}. */
export function logDown(x: number): number {
  return log(x, false);
}

function log1p(x: number, up: boolean): number {
  if (!(x >= -1)) throw undefinedResult('log1p', x);
  if (x === -1) return -Infinity;
  if (x === 0 || x === Infinity) return x;
  // x − x² < log(1 + x) < x, and x² is less than a step.
  if (Math.abs(x) < 2 ** -54) return up ? x : nextDown(x);
  return roundDoubleDouble(logarithmOfOnePlus(x), up);
}

/**
 * A double that is at least `log(1 + x)`, `x ≥ −1`; accuracy
 * and independence of the platform as {@link logUp}.
 *
 * @throws {InvalidParameter} on NaN and below −1.
 */
export function log1pUp(x: number): number {
  return log1p(x, true);
}

/** A double that is at most `log(1 + x)`; otherwise as {@link log1pUp}. */
export function log1pDown(x: number): number {
  return log1p(x, false);
}
