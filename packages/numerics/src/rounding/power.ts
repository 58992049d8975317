import { divideDown, divideUp } from './divide.js';
import { add, multiply, relativeMargin, widen } from './double-double.js';
import { exponential } from './exponential-double-double.js';
import { logarithm } from './logarithm-double-double.js';
import { multiplyDown, multiplyUp } from './multiply.js';
import { roundMagnitude } from './round-magnitude.js';
import { sqrtDown, sqrtUp } from './square-root.js';
import { undefinedResult } from './undefined-result.js';

/** Repeated squaring with one-sided rounding: a bound on `x^n`, exact when every step is. */
function integerPower(x: number, n: number, times: (a: number, b: number) => number): number {
  let result = 1;
  let square = x;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, square);
    if (rest > 1) square = times(square, square);
  }
  return result;
}

/** `x^y` where it is a double, so that exact results are not moved. */
function exactPower(x: number, y: number): number | undefined {
  const size = Math.abs(y);
  if (!Number.isInteger(y) || size > 1100) return undefined;
  // An inverse power is a double only if the base is a power of two, and then its inverse is a double too.
  const base = y < 0 ? 1 / x : x;
  if (y < 0 && (!Number.isFinite(base) || divideDown(1, x) !== divideUp(1, x))) return undefined;
  const lower = integerPower(base, size, multiplyDown);
  return lower === integerPower(base, size, multiplyUp) ? lower : undefined;
}

/** The cases in which base or exponent is 0, 1 or infinite, as limits on the extended real line. */
function specialPower(x: number, y: number): number | undefined {
  if (y === 0 || x === 1) {
    if (x === Infinity || Math.abs(y) === Infinity) throw undefinedResult('x^y', x, y);
    return 1;
  }
  if (x === 0) return y > 0 ? 0 : Infinity;
  if (x === Infinity) return y > 0 ? Infinity : 0;
  if (Math.abs(y) === Infinity) return x > 1 === y > 0 ? Infinity : 0;
  return y === 1 ? x : undefined;
}

function power(x: number, y: number, up: boolean): number {
  if (!(x >= 0) || y !== y) throw undefinedResult('x^y', x, y);
  const known = specialPower(x, y) ?? exactPower(x, y);
  if (known !== undefined) return known;
  if (y === 0.5) return up ? sqrtUp(x) : sqrtDown(x);
  const log = logarithm(x);
  const size = log.high * y;
  if (size > 720) return up ? Infinity : Number.MAX_VALUE;
  if (size < -760) return up ? Number.MIN_VALUE : 0;
  const tiny = Math.abs(size) < 2 ** -80;
  const { exponent, fraction } = exponential(
    tiny ? widen(Math.sign(size) * 2 ** -80) : multiply(log, widen(y)),
  );
  const mantissa = add(widen(1), fraction);
  const margin = 2 * relativeMargin;
  return roundMagnitude(mantissa.high, mantissa.low + (up ? margin : -margin), exponent, up);
}

/**
 * A double that is at least `x^y`, `x ≥ 0`; exact if `x^y` is found to be a double, else at most one step
 * above the nearest double. Does not rely on the platform's `Math.pow`. `0^0` is 1.
 *
 * @throws {InvalidParameter} on NaN, on negative bases, and on `Infinity^0` and `1^±Infinity`.
 */
export function powUp(x: number, y: number): number {
  return power(x, y, true);
}

/** A double that is at most `x^y`; otherwise as {@link powUp}. */
export function powDown(x: number, y: number): number {
  return power(x, y, false);
}
