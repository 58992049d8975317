import { createCipheriv } from 'node:crypto';
import { InvalidParameter, type Vector } from '@lethe/core';

/** Whole numbers modulo 2³² or 2⁶⁴. */
export type Words = Uint32Array | BigUint64Array;
export type Width = 32 | 64;

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
        {
          entry: j,
          value: String(value),
        },
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

/** Adds `sign` times words to others, in place. */
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

/** Little-endian bytes of words, as in memory of all platforms of Node. */
export const bytesOfWords = (words: Words): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice();

/** @throws {InvalidParameter} for another number of bytes. */
export function wordsFrom(bytes: Uint8Array, length: number, width: Width): Words {
  if (bytes.length !== (length * width) / 8)
    throw new InvalidParameter(
      `${length} words of ${width} bits have ${(length * width) / 8} bytes, not ${bytes.length}`,
      {
        length: bytes.length,
      },
    );
  const { buffer } = new Uint8Array(bytes);
  return width === 32 ? new Uint32Array(buffer) : new BigUint64Array(buffer);
}

const noVector = new Uint8Array(16);

/** Pseudo-random words of a seed of 32 bytes that is used once: AES-256-CTR of zeros. */
export function maskOf(seed: Uint8Array, length: number, width: Width): Words {
  const cipher = createCipheriv('aes-256-ctr', seed, noVector);
  return wordsFrom(new Uint8Array(cipher.update(new Uint8Array((length * width) / 8))), length, width);
}
