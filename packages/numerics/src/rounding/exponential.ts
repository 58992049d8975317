import { add, roundDoubleDouble, relativeMargin, widen } from './double-double.js';
import { exponential } from './exponential-double-double.js';
import { nextDown, nextUp, scaleByPowerOfTwo } from './neighbours.js';
import { roundMagnitude } from './round-magnitude.js';
import { undefinedResult } from './undefined-result.js';

function exp(x: number, up: boolean): number {
  if (x !== x) throw undefinedResult('exp', x);
  if (x === 0) return 1;
  if (x > 710) return up || x === Infinity ? Infinity : Number.MAX_VALUE;
  if (x < -746) return up && x !== -Infinity ? Number.MIN_VALUE : 0;
  if (Math.abs(x) < 2 ** -54) {
    if (x > 0) return up ? nextUp(1) : 1;
    return up ? 1 : nextDown(1);
  }
  const { exponent, fraction } = exponential(widen(x));
  const mantissa = add(widen(1), fraction);
  const margin = up ? relativeMargin : -relativeMargin;
  return roundMagnitude(mantissa.high, mantissa.low + 2 * margin, exponent, up);
}

/**
 * A double that is at least `e^x` and at most one step above the nearest double.
 *
 * Computed here to 96 bits from additions and multiplications
 * alone: it does not rely on the platform's `Math.exp`.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function expUp(x: number): number {
  return exp(x, true);
}

/** A double that is at most `e^x`; otherwise as {@link expUp}. Never negative. */
export function expDown(x: number): number {
  return exp(x, false);
}

function expm1(x: number, up: boolean): number {
  if (x !== x) throw undefinedResult('expm1', x);
  if (x === 0 || x === Infinity) return x;
  if (x === -Infinity) return -1;
  if (x > 60) return up ? expUp(x) : nextDown(expDown(x));
  if (x < -50) return up ? nextUp(-1) : -1;
  // x < e^x − 1 < x + x² and x² is less than a step.
  if (Math.abs(x) < 2 ** -54) return up ? nextUp(x) : x;
  const { exponent, fraction } = exponential(widen(x));
  if (exponent === 0) return roundDoubleDouble(fraction, up);
  const mantissa = add(widen(1), fraction);
  const scaled = {
    high: scaleByPowerOfTwo(mantissa.high, exponent),
    low: scaleByPowerOfTwo(mantissa.low, exponent),
  };
  return roundDoubleDouble(add(scaled, widen(-1)), up);
}

/**
 * A double that is at least `e^x − 1`, at most one step above the nearest double up to `x = 60` and two
 * beyond; as {@link expUp} it does not rely on the platform.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function expm1Up(x: number): number {
  return expm1(x, true);
}

/** A double that is at most `e^x − 1` and at least −1; otherwise as {@link expm1Up}. */
export function expm1Down(x: number): number {
  return expm1(x, false);
}
