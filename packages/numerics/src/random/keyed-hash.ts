import { InvalidParameter } from '../errors.js';
import { engineOf, scratchEngine, type Engine } from '../linalg/arena.js';

/** An incremental keyed hash; the result does not depend on how the input is split. */
export interface KeyedHasher {
  /** Takes further input. */
  update(bytes: Uint8Array): void;
  /** Hash of all input so far, 16 bytes. Further input may follow. */
  digest(): Uint8Array;
}

/**
 * SipHash-2-4 with 128-bit output (Aumasson and Bernstein 2012): without the key, hashes cannot be predicted
 * and collisions cannot be constructed.
 *
 * @param key - 16 bytes.
 * @returns 16 bytes.
 * @throws {InvalidParameter} for a key of another length.
 */
export function keyedHash128(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { hash, kernels, stagingBytes } = scratchEngine();
  const { length } = bytes;
  const end = (length & ~7) + 8;
  if (end > stagingBytes.length) {
    const hasher = keyedHasher(key);
    hasher.update(bytes);
    return hasher.digest();
  }
  // One pass, since every query is hashed.
  beginState(hash, key);
  stagingBytes.set(bytes);
  stagingBytes.fill(0, length, end - 1);
  stagingBytes[end - 1] = length & 255;
  kernels.hashWords(stagingBytes.byteOffset, end);
  kernels.hashFinish();
  return firstBytes(hash);
}

/** {@link keyedHash128} in pieces. @throws {InvalidParameter} for a key that has not 16 bytes. */
export function keyedHasher(key: Uint8Array): KeyedHasher {
  const state = initialState(key);
  const tail = new Uint8Array(8);
  let held = 0; // bytes in the tail
  let length = 0; // modulo 256
  return {
    update(bytes) {
      let at = 0;
      length = (length + bytes.length) & 255;
      if (held > 0) {
        while (held < 8 && at < bytes.length) tail[held++] = bytes[at++];
        if (held < 8) return;
        absorb(state, tail, 0, 8);
        held = 0;
      }
      const whole = at + ((bytes.length - at) & ~7);
      absorb(state, bytes, at, whole);
      for (at = whole; at < bytes.length; at++) tail[held++] = bytes[at];
    },
    digest() {
      const last = new Uint8Array(8);
      last.set(tail.subarray(0, held));
      last[7] = length;
      const final = state.slice();
      absorb(final, last, 0, 8);
      const engine = scratchEngine();
      engine.hash.set(final);
      engine.kernels.hashFinish();
      return firstBytes(engine.hash);
    },
  };
}

/** A copy of the first 16 bytes: one small array, without a view of the memory. */
function firstBytes(hash: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let i = 0; i < 4; i++) {
    const word = hash[i];
    bytes[4 * i] = word;
    bytes[4 * i + 1] = word >>> 8;
    bytes[4 * i + 2] = word >>> 16;
    bytes[4 * i + 3] = word >>> 24;
  }
  return bytes;
}

function initialState(key: Uint8Array): Uint32Array {
  const state = new Uint32Array(8);
  beginState(state, key);
  return state;
}

const wordOf = (key: Uint8Array, at: number): number =>
  key[at] | (key[at + 1] << 8) | (key[at + 2] << 16) | (key[at + 3] << 24);

/** Writes v0 to v3 as pairs (low, high). */
function beginState(state: Uint32Array, key: Uint8Array): void {
  if (key.length !== 16)
    throw new InvalidParameter(`a hash key has 16 bytes, ${key.length} were given`, { length: key.length });
  const [a, b, c, d] = [wordOf(key, 0), wordOf(key, 4), wordOf(key, 8), wordOf(key, 12)];
  state[0] = a ^ 0x70736575;
  state[1] = b ^ 0x736f6d65;
  state[2] = c ^ 0x6e646f6d ^ 0xee;
  state[3] = d ^ 0x646f7261;
  state[4] = a ^ 0x6e657261;
  state[5] = b ^ 0x6c796765;
  state[6] = c ^ 0x79746573;
  state[7] = d ^ 0x74656462;
}

/** Bytes hashed by one call of a kernel: engines put better code in place between calls, not during one. */
const inOneCall = 2 ** 18;

/**
 * Absorbs `bytes[from, to)`, a multiple of 8: in place if they lie in an arena, else via the scratch arena.
 */
function absorb(state: Uint32Array, bytes: Uint8Array, from: number, to: number): void {
  if (from === to) return;
  const own = engineOf(bytes);
  const engine = own ?? scratchEngine();
  engine.hash.set(state);
  if (own === null) absorbCopies(engine, bytes, from, to);
  else
    for (let at = from; at < to; at += inOneCall)
      engine.kernels.hashWords(bytes.byteOffset + at, Math.min(inOneCall, to - at));
  state.set(engine.hash);
}

function absorbCopies({ kernels, stagingBytes }: Engine, bytes: Uint8Array, from: number, to: number): void {
  const step = stagingBytes.length;
  for (let at = from; at < to; at += step) {
    const end = Math.min(to, at + step);
    stagingBytes.set(bytes.subarray(at, end));
    kernels.hashWords(stagingBytes.byteOffset, end - at);
  }
}
