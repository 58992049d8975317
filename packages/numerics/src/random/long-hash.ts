import { InvalidParameter } from '../errors.js';
import { engineOf, scratchEngine } from '../linalg/arena.js';
import { LONG_BLOCK, LONG_SUMS } from '../linalg/kernels.wasm.js';
import { keyedHash128 } from './keyed-hash.js';

/** Bytes of the sums of one block. */
export const sumBytes = 8 * LONG_SUMS;

/** Keyed sums of long arrays, to be hashed in their place. */
export interface LongSums {
  /** Bytes that the sums of `length` doubles take. */
  size(length: number): number;
  /**
   * Copies `from` to `into`, of the same length, and writes the sums of what was copied to `sums`: each
   * number is read once. Into an arena they are copied once, else twice. The last block is filled up with
   * zeros, so that a length has to be told beside the sums.
   *
   * @returns whether all numbers are finite.
   */
  copy(from: Float64Array, into: Float64Array, sums: Uint8Array): boolean;
}

/**
 * NH (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999, §5) of blocks of 1 KiB, each summed four times with
 * the key moved on (Toeplitz): two arrays of one length that do not depend on the key have equal sums with
 * probability 2^-128 at most. Sums are no hash: whoever sees them learns the key; only a keyed hash of them
 * may be told.
 *
 * @param key - 16 bytes; the sums' own key is expanded from it by the keyed hash.
 * @throws {InvalidParameter} for a key of another length.
 */
export function longSums(key: Uint8Array): LongSums {
  const engineKey = sumsKey(key);
  return {
    size: (length) => sumBytes * Math.ceil((8 * length) / LONG_BLOCK),
    copy(from, into, sums) {
      if (into.length !== from.length)
        throw new InvalidParameter(`${from.length} numbers were to be copied into ${into.length}`, {
          from: from.length,
          into: into.length,
        });
      const own = engineOf(into);
      const { kernels, staging, stagingBytes, longKey, longSums: found } = own ?? scratchEngine();
      longKey.set(engineKey);
      if (own !== null) into.set(from);
      let isFinite = true;
      for (let at = 0, place = 0; at < from.length; at += staging.length) {
        const count = Math.min(staging.length, from.length - at);
        const blocks = Math.ceil((8 * count) / LONG_BLOCK);
        const isWhole = 8 * count === blocks * LONG_BLOCK;
        let address: number;
        if (own !== null && isWhole) address = into.byteOffset + 8 * at;
        else {
          staging.set((own === null ? from : into).subarray(at, at + count));
          stagingBytes.fill(0, 8 * count, blocks * LONG_BLOCK);
          if (own === null) into.set(staging.subarray(0, count), at);
          address = staging.byteOffset;
        }
        if (kernels.longSums(address, blocks, found.byteOffset) === 0) isFinite = false;
        sums.set(blocks * sumBytes === found.length ? found : found.subarray(0, blocks * sumBytes), place);
        place += blocks * sumBytes;
      }
      // Whoever is lent the copy could read the rest of its memory.
      if (own !== null) {
        longKey.fill(0);
        found.fill(0);
      }
      return isFinite;
    },
  };
}

/** The bytes of the sums' key: keyed hashes of a counter, under a key that hashes nothing else. */
export function sumsKey(key: Uint8Array): Uint8Array {
  const own = keyedHash128(key, new TextEncoder().encode('lethe/long-sums/key'));
  const out = new Uint8Array(scratchEngine().longKey.length);
  for (let at = 0; at < out.length; at += 16) out.set(keyedHash128(own, Uint8Array.of(at >> 4)), at);
  return out;
}
