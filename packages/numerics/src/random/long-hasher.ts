import { engineOf, scratchEngine, type Engine } from '../linalg/arena.js';
import { LONG_BLOCK } from '../linalg/kernels.wasm.js';
import { keyedHasher } from './keyed-hash.js';
import { sumBytes, sumsKey } from './long-hash.js';

/** A keyed hash of long input; the result does not depend on how the input is split. */
export interface LongHasher {
  /** Takes further input. */
  update(bytes: Uint8Array): void;
  /** Hash of all input, 16 bytes; no further input may follow. */
  digest(): Uint8Array;
}

/** Bytes of sums that are hashed together. */
const together = 16_384;

/**
 * The keyed hash of the sums of all input and of its length, where hashing every byte would take three times
 * as long: two inputs that do not depend on the key have equal sums with probability 2⁻¹²⁸ at most. The sums
 * are those of `longSums`, of blocks of 1 KiB, the last filled up with zeros.
 *
 * @param key - 16 bytes.
 * @throws {InvalidParameter} for a key of another length.
 */
export function longHasher(key: Uint8Array): LongHasher {
  const hasher = keyedHasher(key);
  const engineKey = sumsKey(key);
  const tail = new Uint8Array(LONG_BLOCK);
  let held = 0; // bytes in the tail
  let length = 0;
  const sums = new Uint8Array(together);
  let used = 0; // bytes of sums

  const take = (engine: Engine, address: number, blocks: number): void => {
    const { kernels, longSums: found } = engine;
    kernels.longSums(address, blocks, found.byteOffset);
    const size = blocks * sumBytes;
    if (used + size > together) {
      hasher.update(sums.subarray(0, used));
      used = 0;
    }
    sums.set(size === found.length ? found : found.subarray(0, size), used);
    used += size;
  };
  /** Sums bytes `[from, to)`, whole blocks: in place if they lie in an arena, else via the scratch arena. */
  const absorb = (bytes: Uint8Array, from: number, to: number): void => {
    if (from === to) return;
    const own = engineOf(bytes);
    const engine = own ?? scratchEngine();
    const { stagingBytes, longKey, longSums: found } = engine;
    longKey.set(engineKey);
    for (let at = from; at < to; at += stagingBytes.length) {
      const end = Math.min(to, at + stagingBytes.length);
      if (own === null) stagingBytes.set(bytes.subarray(at, end));
      const address = own === null ? stagingBytes.byteOffset : bytes.byteOffset + at;
      take(engine, address, (end - at) / LONG_BLOCK);
    }
    // Whoever is lent a part of the memory could read the rest.
    longKey.fill(0);
    found.fill(0);
  };
  return {
    update(bytes) {
      length += bytes.length;
      let at = 0;
      if (held > 0) {
        at = Math.min(LONG_BLOCK - held, bytes.length);
        tail.set(bytes.subarray(0, at), held);
        held += at;
        if (held < LONG_BLOCK) return;
        absorb(tail, 0, LONG_BLOCK);
      }
      const whole = at + Math.floor((bytes.length - at) / LONG_BLOCK) * LONG_BLOCK;
      absorb(bytes, at, whole);
      tail.set(bytes.subarray(whole));
      held = bytes.length - whole;
    },
    digest() {
      if (held > 0) absorb(tail.fill(0, held), 0, LONG_BLOCK);
      hasher.update(sums.subarray(0, used));
      const last = new DataView(new ArrayBuffer(8));
      last.setFloat64(0, length, true);
      hasher.update(new Uint8Array(last.buffer));
      return hasher.digest();
    },
  };
}
