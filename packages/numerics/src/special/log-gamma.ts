import { InvalidParameter } from '../errors.js';
import { productError } from '../rounding/index.js';
import { type Bounds, boundsAround } from '../search/bounds.js';
import { polynomial } from './polynomial.js';

const oneMinusEuler = 0.42278433509846713;
const halfLogTwoPi = 0.9189385332046728;

/** `(−1)^k (ζ(k) − 1)/k` for k = 2 … 29, so that `log Γ(2 + z) = (1 − γ) z + Σ c_k z^k`. */
const zetaSeries: readonly number[] = [
  0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986, 0.0028905103307415234,
  -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939, 9.945751278180853e-5,
  -4.492623673813314e-5, 2.050721277567069e-5, -9.439488275268397e-6, 4.374866789907488e-6,
  -2.039215753801366e-6, 9.55141213040742e-7, -4.492469198764566e-7, 2.1207184805554665e-7,
  -1.0043224823968099e-7, 4.7698101693639804e-8, -2.2711094608943164e-8, 1.0838659214896955e-8,
  -5.183475041970047e-9, 2.4836745438024785e-9, -1.1921401405860912e-9, 5.731367241678862e-10,
  -2.7595228851242334e-10, 1.330476437424449e-10, -6.4229645638381e-11,
];

/** `B_2k / (2k (2k − 1))`, k = 1 … 9: Stirling's series. */
const stirlingSeries: readonly number[] = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
  43867 / 244188,
];

/** `log Γ(x) − ((x − ½) log x − x + ½ log 2π)` for `x ≥ 10`, absolute error below 2e-18. */
export function stirlingError(x: number): number {
  return polynomial(stirlingSeries, 1 / x / x) / x;
}

/** `log Γ(2 + z)` for `|z| ≤ 0.5`. */
function nearTwo(z: number): number {
  return z * oneMinusEuler + z * z * polynomial(zetaSeries, z);
}

function positive(x: number): number {
  if (x < 0.5) return x < 1e-300 ? -Math.log(x) : nearTwo(x) - Math.log1p(x) - Math.log(x);
  if (x < 1.5) return nearTwo(x - 1) - Math.log1p(x - 1);
  if (x <= 2.5) return nearTwo(x - 2);
  if (x < 10) {
    let product = 1;
    let argument = x;
    while (argument > 2.5) {
      argument -= 1;
      product *= argument;
    }
    return Math.log(product) + nearTwo(argument - 2);
  }
  const log = Math.log(x);
  const leading = (x - 0.5) * (log - 1);
  if (x > 1e17) return Number.isFinite(leading) ? x * (log - 1) : Infinity;
  return leading + productError(x - 0.5, log - 1, leading) + (halfLogTwoPi - 0.5 + stirlingError(x));
}

/**
 * `log Γ(x)` for `x > 0`, relative error below 2e-15 (measured: 5e-16), also next to its zeros 1 and 2.
 *
 * @throws {InvalidParameter} unless `x > 0`.
 */
export function logGamma(x: number): number {
  if (!(x > 0)) throw new InvalidParameter(`logGamma needs x > 0, got ${x}`, { x });
  return x === Infinity ? x : positive(x);
}

/**
 * Bounds of {@link logGamma}, granting 6e-15 of relative error.
 * @throws {InvalidParameter} unless `x > 0`.
 */
export function logGammaBounds(x: number): Bounds {
  const value = logGamma(x);
  return x === 1 || x === 2 || x === Infinity ? { lower: value, upper: value } : boundsAround(value, 6e-15);
}
