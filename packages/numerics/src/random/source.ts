import { InvalidParameter, Unsupported } from '../errors.js';
import { derivedKey, KeystreamSource } from './keystream-source.js';
import type { RandomSource } from './random-source.js';

export type { RandomSource } from './random-source.js';

/**
 * A new source for releases, with a 256-bit key from the platform's cryptographic generator.
 *
 * @throws {Unsupported} when the platform has none.
 */
export function secureRandom(): RandomSource {
  const { crypto } = globalThis as { readonly crypto?: { getRandomValues(array: Uint8Array): Uint8Array } };
  if (crypto?.getRandomValues === undefined) {
    throw new Unsupported(
      'this platform has no cryptographic random generator (globalThis.crypto); ' +
        'run where there is one, or simulate with seededRandom',
      { missing: 'crypto.getRandomValues' },
    );
  }
  return randomFromKey(crypto.getRandomValues(new Uint8Array(32)), 'secure');
}

// A public root key, unrelated to keys of secure sources.
const seedRoot = new Uint32Array(
  new Uint8Array(Array.from('lethe/seed-root/version-1/public', (c) => c.charCodeAt(0))).buffer,
);

/**
 * The reproducible source of a seed, with equal numbers on every platform. It gives no privacy; its kind is
 * `seeded`.
 *
 * @throws {InvalidParameter} for a number that is not finite.
 */
export function seededRandom(seed: string | number): RandomSource {
  return new KeystreamSource(derivedKey(seedRoot, seed), 'seeded');
}

/**
 * The source of a key, from its start; two sources of one key give the same numbers.
 *
 * @param key - 32 bytes; copied.
 * @throws {InvalidParameter} for a key of another length.
 */
export function randomFromKey(key: Uint8Array, kind: RandomSource['kind']): RandomSource {
  if (key.length !== 32)
    throw new InvalidParameter(`a random key has 32 bytes, ${key.length} were given`, { length: key.length });
  return new KeystreamSource(new Uint32Array(key.slice().buffer), kind);
}
