import { productError } from '../rounding/index.js';
import { erfcxRows, erfcxTail, erfSeries } from './error-function-table.js';
import { polynomial } from './polynomial.js';
import { requireNumber } from '../search/require-number.js';

const inverseSqrtPi = 0.5641895835477563;

/** `erfcx` for `x ≥ 0.5`, from the table. */
function scaledTail(x: number): number {
  if (x >= 8) {
    const w = 1 / x / x;
    const leading = inverseSqrtPi / x;
    return leading + leading * (w * polynomial(erfcxTail, w));
  }
  let octave: number;
  if (x < 1) octave = 0;
  else if (x < 2) octave = 1;
  else if (x < 4) octave = 2;
  else octave = 3;
  const unit = 2 ** (octave - 3);
  const quarter = Math.floor(x / unit) - 4;
  const row = erfcxRows[4 * octave + quarter];
  const distance = x - (quarter + 4.5) * unit;
  return row[0] + (distance * polynomial(row, distance, 2) + row[1]);
}

function smallErf(x: number): number {
  return x + x * polynomial(erfSeries, x * x);
}

/** `e^(sign·x²) · factor` with `x²` taken to twice the working precision; underflow is rounded once. */
function timesGaussian(x: number, sign: 1 | -1, factor: number): number {
  const square = x * x;
  const correction = 1 + sign * productError(x, x, square);
  if (square < 650) return Math.exp(sign * square) * correction * factor;
  const half = Math.exp((sign * square) / 2);
  return half * (correction * factor) * half;
}

/**
 * The scaled complementary error function `e^(x²) erfc(x)`, relative error below 1e-15 (measured: 4e-16).
 *
 * Overflows to `Infinity` below about −26.6.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function erfcx(x: number): number {
  requireNumber('x', x);
  if (x >= 0.5) return scaledTail(x);
  if (x < -27) return Infinity;
  return Math.abs(x) < 2 ** -60 ? 1 : timesGaussian(x, 1, erfc(x));
}

/**
 * The complementary error function `erfc(x) = 1 − erf(x)`, relative error below 1e-15 wherever it is a normal
 * double (measured: 5e-16 on [-6, 26.5]), one subnormal step below.
 * Assumes `Math.exp` within one unit in the last place.
 *
 * @throws {InvalidParameter} on NaN.
 */
export function erfc(x: number): number {
  requireNumber('x', x);
  if (x >= 28) return 0;
  if (x >= 0.5) return timesGaussian(x, -1, scaledTail(x));
  if (x > -0.5) return 1 - smallErf(x);
  return 2 - erfc(-x);
}

/**
 * The error function `(2/√π) ∫_0^x e^(−t²) dt`, relative error below 4e-16 (measured: 2e-16).
 *
 * @throws {InvalidParameter} on NaN.
 */
export function erf(x: number): number {
  requireNumber('x', x);
  if (Math.abs(x) < 0.5) return smallErf(x);
  return x > 0 ? 1 - erfc(x) : erfc(-x) - 1;
}
