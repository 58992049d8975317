import { add, type DoubleDouble, exactSum, multiply, widen } from './double-double.js';
import { expm1Reduced, ln2Parts } from './exponential-double-double.js';
import { exponentOf, scaleByPowerOfTwo } from './neighbours.js';

/**
 * `log(1 + x)` for `2^-900 < |x| ≤ 0.42`, relative error below 2^-95.
 *
 * Newton's method from the platform's value, which need only be roughly right: iteration stops once the last
 * correction is below 2^-40 of the result, so that the neglected cubic term is below 2^-100 of it.
 */
function log1pReduced(x: number): DoubleDouble {
  let value = widen(Math.log1p(x));
  for (let step = 0; ; step++) {
    const e = expm1Reduced(value);
    const rest = add(widen(x), { high: -e.high, low: -e.low });
    const d = (rest.high + rest.low) / (1 + e.high);
    value = add(value, widen(d - (d * d) / 2));
    if (step === 8 || Math.abs(d) < 2 ** -40 * Math.abs(value.high)) return value;
  }
}

/** `log x` for finite `x > 0` other than 1, relative error below 2^-90. */
export function logarithm(x: number): DoubleDouble {
  let exponent = exponentOf(x);
  let mantissa = scaleByPowerOfTwo(x, -exponent);
  if (mantissa > 1.41) {
    mantissa /= 2;
    exponent += 1;
  }
  const fraction = mantissa === 1 ? widen(0) : log1pReduced(mantissa - 1);
  if (exponent === 0) return fraction;
  const tail = add(fraction, exactSum(exponent * ln2Parts[1], exponent * ln2Parts[2]));
  return add(widen(exponent * ln2Parts[0]), tail);
}

/** `log(1 + x)` for finite `x > −1` with `|x| ≥ 2^-54`, relative error below 2^-90. */
export function logarithmOfOnePlus(x: number): DoubleDouble {
  if (Math.abs(x) <= 0.4) return log1pReduced(x);
  const { high, low } = exactSum(1, x);
  const ratio = low / high;
  return add(logarithm(high), multiply(widen(ratio), widen(1 - ratio / 2)));
}
