import type { Vector } from '@lethe/core';
import { refusal } from './refusal.js';

/** Bytes before the numbers: the exponent of their grid. */
const head = 2;
const largest = 2 ** 31 - 1;

/**
 * A vector in 4 bytes a number, without loss: whole steps of the coarsest power of two of which all entries
 * are multiples, and its exponent. Answers with noise are rounded to a public grid far below the noise, so
 * that most fit. It is a function of the answer alone, and so costs nothing.
 *
 * @returns `null` where some entry does not fit.
 */
export function narrowed(vector: Vector): Uint8Array | null {
  const exponent = gridOf(vector);
  if (exponent === null) return null;
  const unit = 2 ** exponent;
  const out = new DataView(new ArrayBuffer(head + 4 * vector.length));
  out.setInt16(0, exponent, true);
  for (let j = 0; j < vector.length; j++) {
    const steps = vector[j] / unit;
    if (!(Math.abs(steps) <= largest) || Object.is(steps, -0)) return null;
    out.setInt32(head + 4 * j, steps, true);
  }
  return new Uint8Array(out.buffer);
}

/** Bytes of a narrow vector of so many numbers. */
export const narrowSize = (dimension: number): number => head + 4 * dimension;

/** @throws a refusal of a grid that doubles do not have. */
export function widened(body: Uint8Array, dimension: number): Vector {
  const from = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const exponent = from.getInt16(0, true);
  if (exponent < smallest || exponent > 1023 - 31)
    throw refusal('not-finite', `an answer has the grid 2^${exponent}, which no answer has`, { exponent });
  const unit = 2 ** exponent;
  const vector = new Float64Array(dimension);
  for (let j = 0; j < dimension; j++) vector[j] = from.getInt32(head + 4 * j, true) * unit;
  return vector;
}

/** Below it doubles are subnormal, and no answer is. */
const smallest = -1022;

/** Exponent of the coarsest power of two that divides all entries; `null` beyond what is sent. */
function gridOf(vector: Vector): number | null {
  const words = new Uint32Array(vector.buffer, vector.byteOffset, 2 * vector.length);
  let least = Infinity;
  for (let j = 0; j < vector.length; j++) {
    if (vector[j] === 0) continue;
    const [low, high] = [words[2 * j], words[2 * j + 1]];
    const biased = (high >>> 20) & 0x7ff;
    if (biased === 0 || biased === 0x7ff) return null;
    const zeros = low === 0 ? 32 + trailingZeros((high & 0xf_ffff) | 0x10_0000) : trailingZeros(low);
    least = Math.min(least, biased - 1075 + zeros);
  }
  const exponent = least === Infinity ? 0 : least;
  return exponent < smallest || exponent > 1023 - 31 ? null : exponent;
}

/** Of a number that is not 0. */
const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);
