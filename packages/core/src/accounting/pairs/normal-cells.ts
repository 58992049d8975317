import { erf, normalCdf } from '../../numerics/index.js';
import { productError, sumError } from '../../rounding/index.js';

const inverseSqrtTwoPi = 0.398_942_280_401_432_7;
/** Beyond it the density is no normal double. */
const reach = 39;

/**
 * Adds `weight · N(shift, 1)[z_i, z_{i+1})` to each `out[i]`, for ascending edges `z`; relative error of what is added below 2^-47, also far in
 * the tails, down to where a double has no more digits.
 *
 * Wide cells are differences of tails. In narrow ones those would cancel, so there the density is expanded in Hermite polynomials about the middle.
 */
export function addNormalCells(out: Float64Array, z: Float64Array, shift: number, weight: number): void {
  let known = -1;
  let knownTail = 0;
  for (let i = 0; i < out.length; i++) {
    const a = z[i]!;
    const b = z[i + 1]!;
    if (!(a < b) || a - shift > reach || b - shift < -reach) continue;
    const sum = a + b;
    const middle = sum / 2;
    const c = middle - shift;
    const half = (b - a) / 2;
    const size = c > 1 ? c : c < -1 ? -c : 1;
    if (half * size < 0.25) {
      const lost = sumError(a, b, sum) / 2 + sumError(middle, -shift, c);
      out[i]! += weight * inverseSqrtTwoPi * (2 * half) * gaussian(c, lost) * expansion(c, half, half * size);
    } else {
      const left = known === i ? knownTail : tail(a, shift);
      const right = tail(b, shift);
      known = i + 1;
      knownTail = right;
      const [x, y] = [a - shift, b - shift];
      const mass = x >= 0 ? left - right : y <= 0 ? right - left : centre(x, y, left, right);
      out[i]! += weight * mass;
    }
  }
}

/** `e^(−(c + lost)²/2)` for `|c| ≤ 40` or so. */
function gaussian(c: number, lost: number): number {
  const square = c * c;
  const correction = 1 - productError(c, c, square) / 2 - c * lost;
  if (square < 1300) return Math.exp(-square / 2) * correction;
  const root = Math.exp(-square / 4);
  return root * correction * root;
}

/** `(1/2h) ∫_{−h}^{h} e^(−ct − t²/2) dt = Σ He_{2k}(c) h^{2k}/(2k+1)!`, where `size = h·max(1, |c|) ≤ ¼` tells how many terms matter. */
function expansion(c: number, h: number, size: number): number {
  const terms = size < 2 ** -26 ? 0 : size < 2 ** -12 ? 2 : size < 2 ** -6 ? 4 : 8;
  const square = h * h;
  let sum = 1;
  let power = 1;
  let even = 1;
  let odd = c;
  for (let n = 1; n < 2 * terms; n += 2) {
    even = c * odd - n * even;
    power *= square / ((n + 1) * (n + 2));
    sum += even * power;
    odd = c * even - (n + 1) * odd;
  }
  return sum;
}

/** Probability of what lies further out than `edge`, on its side of `shift`. */
function tail(edge: number, shift: number): number {
  const x = edge - shift;
  const size = Math.abs(x);
  if (size > reach) return 0;
  // What the subtraction lost, times the hazard rate: −T′/T is about (x + √(x² + 4))/2.
  const lost = x < 0 ? -sumError(edge, -shift, x) : sumError(edge, -shift, x);
  return normalCdf(-size) * (1 - (lost * (size + Math.sqrt(size * size + 4))) / 2);
}

/** A wide cell about 0. */
function centre(x: number, y: number, left: number, right: number): number {
  if (x < -1 || y > 1) return 1 - left - right;
  return 0.5 * (erf(y * Math.SQRT1_2) - erf(x * Math.SQRT1_2));
}
