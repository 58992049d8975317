import type { Vector } from '@lethe/core';
import { refusal } from './refusal.js';

/** Bytes before the numbers: the exponent of their grid. */
const head = 2;
/** Entries whose grid is tried first. */
const sample = 64;

/**
 * A vector in 4 bytes a number, without loss: whole steps of the coarsest power of two of which all entries
 * are multiples, and its exponent. Answers with noise are rounded to a public grid far below the noise, so
 * that most fit. It is a function of the answer alone, and so costs nothing.
 *
 * @param room - Bytes that are left at the end, for what follows.
 * @returns `null` where some entry does not fit.
 */
export function narrowed(vector: Vector, room = 0): Uint8Array | null {
  // The grid of all entries is that of some of them, as a rule, and then the rest need not be searched.
  const guess = vector[0] === 0 ? null : gridOf(vector.subarray(0, sample));
  const body = guess === null ? null : inSteps(vector, guess, room);
  if (body !== null) return body;
  const exponent = gridOf(vector);
  return exponent === null || exponent === guess ? null : inSteps(vector, exponent, room);
}

/** `null` where some entry is no whole number of steps of `2^exponent` in 32 bits, or a negative zero. */
function inSteps(vector: Vector, exponent: number, room: number): Uint8Array | null {
  const perUnit = 2 ** -exponent;
  // Steps lie at a multiple of 4 bytes; little-endian, as in memory of all platforms of Node.
  const memory = new ArrayBuffer(4 + 4 * vector.length + room);
  const steps = new Int32Array(memory, 4, vector.length);
  for (let j = 0; j < vector.length; j++) {
    const exact = vector[j] * perUnit;
    const step = exact | 0;
    // A product that is too small for a double is zero, and its entry is not.
    if (step !== exact || (step === 0 && !Object.is(vector[j], 0))) return null;
    steps[j] = step;
  }
  const out = new Uint8Array(memory, 4 - head);
  new DataView(memory).setInt16(4 - head, exponent, true);
  return out;
}

/** Bytes of a narrow vector of so many numbers. */
export const narrowSize = (dimension: number): number => head + 4 * dimension;

/** @throws a refusal of a grid that doubles do not have. */
export function widened(body: Uint8Array, dimension: number): Vector {
  const exponent = new DataView(body.buffer, body.byteOffset, head).getInt16(0, true);
  if (exponent < smallest || exponent > 1023 - 31)
    throw refusal('not-finite', `an answer has the grid 2^${exponent}, which no answer has`, { exponent });
  const unit = 2 ** exponent;
  // Steps lie anywhere in the message.
  const steps = new DataView(body.buffer, body.byteOffset + head, 4 * dimension);
  const vector = new Float64Array(dimension);
  for (let j = 0; j < dimension; j++) vector[j] = steps.getInt32(4 * j, true) * unit;
  return vector;
}

/** Beyond every exponent. */
const none = 4096;
/** Below it doubles are subnormal, and no answer is. */
const smallest = -1022;

/**
 * Exponent of the coarsest power of two that divides all entries; `null` beyond what is sent, and for a
 * negative zero, which whole steps do not tell from zero.
 */
function gridOf(vector: Vector): number | null {
  const words = new Uint32Array(vector.buffer, vector.byteOffset, 2 * vector.length);
  let least = none;
  for (let j = 0; j < words.length; j += 2) {
    const low = words[j];
    const high = words[j + 1];
    const biased = (high >>> 20) & 0x7ff;
    if (biased === 0 && low === 0 && high === 0) continue;
    if (biased === 0 || biased === 0x7ff) return null;
    const zeros = low === 0 ? 32 + trailingZeros((high & 0xf_ffff) | 0x10_0000) : trailingZeros(low);
    const own = biased - 1075 + zeros;
    if (own < least) least = own;
  }
  const exponent = least === none ? 0 : least;
  return exponent < smallest || exponent > 1023 - 31 ? null : exponent;
}

/** Of a number that is not 0. */
const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);
