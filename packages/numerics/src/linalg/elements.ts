import { allFinite } from '../geometry/vectors.js';
import { engineOf } from './arena.js';

/** Entries from which it pays to ask whether a vector lies in an arena. */
const longVector = 4096;

/** Divides every entry by `divisor`, in place. @returns whether all results are finite. */
export function divideInPlace(vector: Float64Array, divisor: number): boolean {
  // The kernel passes over zeros, which other divisors would change.
  const engine = divisor > 0 ? engineOf(vector) : null;
  if (engine !== null) return engine.kernels.divideInPlace(vector.byteOffset, vector.length, divisor) !== 0;
  for (let j = 0; j < vector.length; j++) vector[j] /= divisor;
  return allFinite(vector);
}

/** `target[j] += scale · source[j]`, the product rounded first. The source is at least as long. */
export function addScaled(target: Float64Array, scale: number, source: Float64Array): void {
  const engine = engineOf(target);
  if (engine !== null && source.buffer === target.buffer && source.length >= target.length) {
    engine.kernels.addScaled(target.byteOffset, target.length, scale, source.byteOffset);
    return;
  }
  for (let j = 0; j < target.length; j++) target[j] += scale * source[j];
}

/**
 * `target[j] -= scale · source[j]`, the product rounded first: a gradient step. The source is at least as
 * long.
 */
export function subtractScaled(target: Float64Array, scale: number, source: Float64Array): void {
  if (target.length >= longVector) {
    // A sum with the negative product has the bits of the difference.
    addScaled(target, -scale, source);
    return;
  }
  for (let j = 0; j < target.length; j++) target[j] -= scale * source[j];
}

/**
 * `vector[j] + middle − middle` for every entry below `near` in size; others stay.
 * @returns whether there were no others.
 */
export function roundNear(vector: Float64Array, middle: number, near: number): boolean {
  const engine = engineOf(vector);
  if (engine !== null) return engine.kernels.roundNear(vector.byteOffset, vector.length, middle, near) !== 0;
  let all = true;
  for (let j = 0; j < vector.length; j++) {
    const entry = vector[j];
    if (Math.abs(entry) < near) vector[j] = entry + middle - middle;
    else all = false;
  }
  return all;
}

/**
 * Room for noise that is to be added to `target`: where that lies in an arena, scratch memory of its kernels,
 * which the next of their calls but fills of noise and arithmetic on entries may overwrite.
 *
 * @param count - At most 2048.
 */
export function noiseMemory(target: Float64Array, count: number): Float64Array {
  const engine = engineOf(target);
  if (engine === null) return new Float64Array(count);
  const { staging } = engine;
  return count === staging.length ? staging : staging.subarray(0, count);
}
