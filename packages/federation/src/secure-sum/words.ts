import { createCipheriv } from 'node:crypto';
import { InvalidParameter } from '@lethe/core';
import type { Width, Words } from '@lethe/mechanisms';
import { bytesOf } from '@lethe/numerics';

/** Little-endian bytes of words, as in memory of all platforms of Node. */
export const bytesOfWords = (words: Words): Uint8Array => bytesOf(words).slice();

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
