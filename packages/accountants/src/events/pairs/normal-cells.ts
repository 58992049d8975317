import { erf, normalCdf, productError, sumError } from '@lethe/numerics';

const inverseSqrtTwoPi = 0.398_942_280_401_432_7;
/** Largest distance from the mean at which the density is a normal double. */
const largestDistance = 39;

/**
 * Adds `weight · N(shift, 1)[z_i, z_{i+1})` to each `out[i]`, for ascending edges `z`, with relative error
 * below 2^-47, also in the tails, down to the smallest normal doubles.
 *
 * Wide cells are differences of tails. In narrow cells these would cancel, so the density is expanded in
 * Hermite polynomials about the middle.
 */
export function addNormalCells(out: Float64Array, z: Float64Array, shift: number, weight: number): void {
  let known = -1;
  let knownTail = 0;
  const scale = weight * inverseSqrtTwoPi;
  for (let i = 0; i < out.length; i++) {
    const a = z[i];
    const b = z[i + 1];
    if (!(a < b) || a - shift > largestDistance || b - shift < -largestDistance) continue;
    const sum = a + b;
    const middle = sum / 2;
    const c = middle - shift;
    const half = (b - a) / 2;
    const size = half * Math.max(1, Math.abs(c));
    if (size < 0.25) {
      const share = size < 0.028 ? seriesOfThree(c * c, half * half) : seriesOfSeven(c, half * half);
      out[i] +=
        scale *
        (2 * half) *
        gaussian(c, roundingError(a, b, sum) / 2 + roundingError(middle, -shift, c)) *
        share;
    } else {
      const left = known === i ? knownTail : tail(a, shift);
      const right = tail(b, shift);
      known = i + 1;
      knownTail = right;
      const mass = () => {
        if (a >= shift) return left - right;
        return b <= shift ? right - left : centre(a - shift, b - shift, left, right);
      };
      out[i] += weight * mass();
    }
  }
}

/** Exact rounding error of `s = a + b`, like `sumError` but without a branch. */
function roundingError(a: number, b: number, s: number): number {
  const back = s - a;
  return a - (s - back) + (b - back);
}

/** `e^(−(c + lost)²/2)` for `|c| ≤ 40` or so. */
function gaussian(c: number, lost: number): number {
  const square = c * c;
  const correction = 1 - productError(c, c, square) / 2 - c * lost;
  if (square < 1300) return Math.exp(-square / 2) * correction;
  const root = Math.exp(-square / 4);
  return root * correction * root;
}

/**
 * `(1/2h) ∫_{−h}^{h} e^(−ct − t²/2) dt = Σ He_{2k}(c) h^{2k}/(2k+1)!` for `h·max(1, |c|) < 0.028`, where the
 * terms after the third power are below 2^-50: each polynomial is at most the sum of its coefficients times
 * `max(1, |c|)^{2k}`.
 *
 * @param s - `c²`.
 * @param t - `h²`.
 */
const seriesOfThree = (s: number, t: number): number =>
  1 + t * ((s - 1) / 6 + t * (((s - 6) * s + 3) / 120 + (t * (((s - 15) * s + 45) * s - 15)) / 5040));

/** The same for `h·max(1, |c|) < ¼`, to the seventh power. */
function seriesOfSeven(c: number, t: number): number {
  let sum = 1;
  let power = 1;
  let even = 1;
  let odd = c;
  for (let k = 0; k < reciprocals.length; k++) {
    even = c * odd - (2 * k + 1) * even;
    power *= t * reciprocals[k];
    sum += even * power;
    odd = c * even - (2 * k + 2) * odd;
  }
  return sum;
}

/** `(2k+1)!/(2k+3)!` */
const reciprocals = Float64Array.from({ length: 7 }, (_, k) => 1 / ((2 * k + 2) * (2 * k + 3)));

/** Tail probability beyond `edge`, on its side of `shift`. */
function tail(edge: number, shift: number): number {
  const x = edge - shift;
  const size = Math.abs(x);
  if (size > largestDistance) return 0;
  // Correction for the rounding error of the subtraction, by the hazard rate −T′/T ≈ (x + √(x² + 4))/2.
  const lost = x < 0 ? -sumError(edge, -shift, x) : sumError(edge, -shift, x);
  return normalCdf(-size) * (1 - (lost * (size + Math.sqrt(size * size + 4))) / 2);
}

/** A wide cell about 0. */
function centre(x: number, y: number, left: number, right: number): number {
  if (x < -1 || y > 1) return 1 - (left + right);
  return 0.5 * (erf(y * Math.SQRT1_2) - erf(x * Math.SQRT1_2));
}
