import { InvalidParameter } from '../errors.js';
import { engineOf, scratchEngine } from '../linalg/arena.js';
import { exponentOf, scaleByPowerOfTwo, sumError } from '../rounding/index.js';

const largestDimension = 2 ** 27;

/**
 * @throws {InvalidParameter} unless `dimension` is a positive integer of at most 2^27 (a vector of 1 GiB).
 */
export function requireDimension(dimension: number): void {
  if (Number.isSafeInteger(dimension) && dimension > 0 && dimension <= largestDimension) return;
  throw new InvalidParameter(`dimension is ${dimension}: give an integer from 1 to ${largestDimension}`, {
    dimension: String(dimension),
  });
}

/** @throws {InvalidParameter} unless `vector` has length `dimension`. */
export function requireLength(name: string, vector: ArrayLike<number>, dimension: number): void {
  if (vector.length === dimension) return;
  throw new InvalidParameter(`${name} has ${vector.length} coordinates: give ${dimension}`, {
    name,
    length: vector.length,
    dimension,
  });
}

/** @throws {InvalidParameter} unless `vector` has length `dimension` and finite coordinates. */
export function requireFinite(name: string, vector: ArrayLike<number>, dimension: number): void {
  requireLength(name, vector, dimension);
  if (allFinite(vector)) return;
  for (let index = 0; index < dimension; index++) {
    if (Number.isFinite(vector[index])) continue;
    throw new InvalidParameter(`${name}[${index}] is ${vector[index]}: give finite coordinates`, {
      name,
      index,
      value: String(vector[index]),
    });
  }
}

/** Whether all entries are finite: of these alone, differences with themselves add up to 0. */
export function allFinite(vector: ArrayLike<number>): boolean {
  const { length } = vector;
  if (length >= longVector && vector instanceof Float64Array) return longFinite(vector);
  const whole = length - (length % 4);
  // Four sums, since one would wait for itself.
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let index = 0; index < whole; index += 4) {
    a += vector[index] - vector[index];
    b += vector[index + 1] - vector[index + 1];
    c += vector[index + 2] - vector[index + 2];
    d += vector[index + 3] - vector[index + 3];
  }
  for (let index = whole; index < length; index++) a += vector[index] - vector[index];
  return a + b + c + d === 0;
}

/** Entries from which a kernel is faster, even on a copy. */
const longVector = 4096;

function longFinite(vector: Float64Array): boolean {
  const own = engineOf(vector);
  if (own !== null) return own.kernels.allFinite(vector.byteOffset, vector.length) !== 0;
  const { kernels, staging } = scratchEngine();
  for (let from = 0; from < vector.length; from += staging.length) {
    const some = vector.subarray(from, from + staging.length);
    staging.set(some);
    if (kernels.allFinite(staging.byteOffset, some.length) === 0) return false;
  }
  return true;
}

/** @throws {InvalidParameter} unless `value` is finite and greater than 0. */
export function requirePositive(name: string, value: number): void {
  if (value > 0 && value < Infinity) return;
  throw new InvalidParameter(`${name} is ${value}: give a finite number greater than 0`, {
    name,
    value: String(value),
  });
}

/** The largest magnitude among the coordinates; NaN if one is NaN. */
function largestMagnitude(vector: ArrayLike<number>): number {
  let largest = 0;
  for (let index = 0; index < vector.length; index++) largest = Math.max(largest, Math.abs(vector[index]));
  return largest;
}

/**
 * The ℓ2 norm, relative error below 2^-51 in any dimension (compensated sum of squares), without intermediate
 * overflow or underflow. A result beyond the largest double is `Infinity`.
 */
export function norm2(vector: ArrayLike<number>): number {
  const plain = sumOfSquares(vector, 1);
  // Then no square overflowed, and none that matters vanished.
  if (plain > 1e-200 && plain < 1e280) return Math.sqrt(plain);
  const largest = largestMagnitude(vector);
  if (largest === 0 || !(largest < Infinity)) return largest;
  const scale = largest > 1 ? 2 ** -600 : 2 ** 600;
  return Math.sqrt(sumOfSquares(vector, scale)) / scale;
}

/** Compensated, of the entries times a power of two. */
function sumOfSquares(vector: ArrayLike<number>, scale: number): number {
  let total = 0;
  let compensation = 0;
  for (let index = 0; index < vector.length; index++) {
    const scaled = vector[index] * scale;
    const square = scaled * scaled;
    const next = total + square;
    compensation += sumError(total, square, next);
    total = next;
  }
  return total + compensation;
}

/** A norm of a vector, relative error below 2^-51 in any dimension. */
export function vectorNorm(vector: ArrayLike<number>, norm: 'l1' | 'l2' | 'linf'): number {
  if (norm === 'l2') return norm2(vector);
  return norm === 'l1' ? norm1(vector) : largestMagnitude(vector);
}

/** The ℓ1 norm, relative error below 2^-51 in any dimension; `Infinity` beyond the largest double. */
export function norm1(vector: ArrayLike<number>): number {
  let total = 0;
  let compensation = 0;
  for (let index = 0; index < vector.length; index++) {
    const next = total + Math.abs(vector[index]);
    if (next === Infinity) return Infinity;
    compensation += sumError(total, Math.abs(vector[index]), next);
    total = next;
  }
  return total + compensation;
}

/**
 * `point − origin`, scaled down by a power of two if the difference could overflow.
 *
 * @returns the scaled differences and the scale (1 unless coordinates exceed 1e300).
 */
export function scaledDifference(
  point: Float64Array,
  origin: Float64Array,
): { readonly delta: Float64Array; readonly scale: number } {
  const scale = Math.max(largestMagnitude(point), largestMagnitude(origin)) > 1e300 ? 2 ** -50 : 1;
  const delta = new Float64Array(point.length);
  for (let index = 0; index < point.length; index++)
    delta[index] = point[index] * scale - origin[index] * scale;
  return { delta, scale };
}

/** A non-zero vector times the power of two that brings its largest coordinate into [1, 2) in magnitude. */
export function normalised(vector: Float64Array): Float64Array {
  const exponent = exponentOf(largestMagnitude(vector));
  return vector.map((value) => scaleByPowerOfTwo(value, -exponent));
}

/**
 * Writes `origin + factor · delta` to `out`, shrinking `factor` by steps that double from a few units in the
 * last place until `accepts(out)`. At factor 0 `out` is `origin`, which must be accepted.
 */
export function shrinkInto(
  out: Float64Array,
  origin: Float64Array,
  delta: Float64Array,
  factor: number,
  accepts: (point: Float64Array) => boolean,
): Float64Array {
  let remaining = factor;
  for (let step = 2 ** -53; ; step *= 2) {
    for (let index = 0; index < out.length; index++) out[index] = origin[index] + remaining * delta[index];
    if (remaining === 0 || accepts(out)) return out;
    remaining = step >= 1 ? 0 : remaining * (1 - step);
  }
}
