import { InvalidParameter, type Vector } from '@lethe/core';

/** Whole numbers modulo 2³² or 2⁶⁴. */
export type Words = Uint32Array | BigUint64Array;
/** Bits of a word. */
export type Width = 32 | 64;

/** Zeros. */
export const noWords = (length: number, width: Width): Words =>
  width === 32 ? new Uint32Array(length) : new BigUint64Array(length);

/**
 * Whole numbers of a vector as words.
 *
 * @throws {InvalidParameter} for an entry that is not whole, or beyond 2⁵³.
 */
export function wordsOf(values: Vector, width: Width): Words {
  const words = noWords(values.length, width);
  for (let j = 0; j < values.length; j++) {
    const value = values[j];
    if (!Number.isSafeInteger(value))
      throw new InvalidParameter(
        `entry ${j} of a secure sum is ${value}; entries are whole numbers below 2^53`,
        { entry: j, value: String(value) },
      );
    if (words instanceof Uint32Array) words[j] = ((value % 2 ** 32) + 2 ** 32) % 2 ** 32;
    else words[j] = BigInt.asUintN(64, BigInt(value));
  }
  return words;
}

/** The whole numbers of least size that the words stand for. */
export function liftedWords(words: Words): Vector {
  const values = new Float64Array(words.length);
  if (words instanceof Uint32Array) for (let j = 0; j < words.length; j++) values[j] = words[j] | 0;
  else for (let j = 0; j < words.length; j++) values[j] = Number(BigInt.asIntN(64, words[j]));
  return values;
}

/**
 * Adds `sign` times words to others, in place.
 *
 * @throws {InvalidParameter} for words of another width.
 */
export function addWords(to: Words, words: Words, sign: 1 | -1): void {
  if (to instanceof Uint32Array && words instanceof Uint32Array) {
    for (let j = 0; j < to.length; j++) to[j] += sign * words[j];
    return;
  }
  if (to instanceof BigUint64Array && words instanceof BigUint64Array) {
    const factor = BigInt(sign);
    for (let j = 0; j < to.length; j++) to[j] += factor * words[j];
    return;
  }
  throw new InvalidParameter('words of 32 and of 64 bits do not add up', {});
}
