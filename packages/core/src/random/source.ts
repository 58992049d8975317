import { InvalidParameter, Unsupported } from '../errors.js';
import { chachaBlockInto } from './chacha.reference.js';
import { keyedHasher } from './keyed-hash.js';

/** The only source of randomness. Forks are keyed by label, so the order of forking and of drawing never matters. */
export interface RandomSource {
  /** `seeded` streams are reproducible and protect nobody. */
  readonly kind: 'secure' | 'seeded';
  /** Uniform in (0, 1), 53 bits. */
  uniform(): number;
  /** Uniform in `[0, below)`, without modulo bias; `below` is a whole number up to 2⁵³ − 1. */
  integer(below: number): number;
  bits32(): number;
  bits53(): number;
  bytes(count: number): Uint8Array;
  /** Fills with independent N(0, 1). */
  gaussianInto(out: Float64Array): Float64Array;
  /** Fills with independent Laplace(1). */
  laplaceInto(out: Float64Array): Float64Array;
  /** Exponential(1), positive. */
  exponential(): number;
  /** The stream at a label below this one. */
  fork(label: string | number): RandomSource;
  /** The 32-byte key of this stream; secret when the source is. */
  key(): Uint8Array;
}

const text = new TextEncoder();
const rounds = 20;
const noNonce = new Uint32Array(3);

/** A fresh source keyed from the platform's CSPRNG. @throws {Unsupported} when the platform has none. */
export function secureRandom(): RandomSource {
  const { crypto } = globalThis as { crypto?: { getRandomValues(array: Uint8Array): Uint8Array } };
  if (crypto === undefined) throw new Unsupported('this platform has no cryptographic randomness (globalThis.crypto); a release needs it', {});
  return randomFromKey(crypto.getRandomValues(new Uint8Array(32)), 'secure');
}

/** A reproducible source; whatever it answers protects nobody. */
export function seededRandom(seed: string | number): RandomSource {
  return randomFromKey(derive(new Uint8Array(32), seed), 'seeded');
}

/** The source with a given 32-byte key. @throws {InvalidParameter} for a key of another length. */
export function randomFromKey(key: Uint8Array, kind: RandomSource['kind']): RandomSource {
  if (key.length !== 32) throw new InvalidParameter(`a random source's key has 32 bytes, not ${key.length}`, { length: key.length });
  const own = key.slice();
  const words = new Uint32Array(own.buffer);
  const block = new Uint32Array(16);
  let counter = 0;
  let used = 16;
  const bits32 = (): number => {
    if (used === 16) { chachaBlockInto(block, words, counter++, noNonce, rounds); used = 0; }
    return block[used++]!;
  };
  const bits53 = (): number => bits32() * 0x200000 + (bits32() >>> 11);
  const uniform = (): number => (bits53() + 0.5) * 2 ** -53;
  const exponential = (): number => -Math.log(uniform());
  const source: RandomSource = {
    kind, uniform, bits32, bits53, exponential,
    integer(below) {
      if (!Number.isSafeInteger(below) || below < 1) throw new InvalidParameter(`integer(${below}): the bound must be a whole number from 1 to 2^53 - 1`, { below });
      const limit = 2 ** 53 - (2 ** 53 % below);
      for (;;) { const draw = bits53(); if (draw < limit) return draw % below; }
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => bits32() & 0xff),
    gaussianInto(out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(2 * exponential()) * Math.cos(2 * Math.PI * uniform());
      return out;
    },
    laplaceInto(out) {
      for (let i = 0; i < out.length; i++) out[i] = (bits32() & 1) === 0 ? exponential() : -exponential();
      return out;
    },
    fork: (label) => randomFromKey(derive(own, label), kind),
    key: () => own.slice(),
  };
  return Object.freeze(source);
}

/** Child key: two keyed hashes of the label, numbers and strings apart. */
function derive(key: Uint8Array, label: string | number): Uint8Array {
  const bytes = text.encode(typeof label === 'number' ? `n${label}` : `s${label}`);
  const out = new Uint8Array(32);
  for (const half of [0, 1]) {
    const hasher = keyedHasher(key.subarray(16 * half, 16 * half + 16));
    hasher.update(key);
    hasher.update(bytes);
    out.set(hasher.digest(), 16 * half);
  }
  return out;
}
