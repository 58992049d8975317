import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { createArena } from '../linalg/arena.js';
import { keyedHash128, keyedHasher } from './keyed-hash.js';
import { keyedHash128 as plain } from './keyed-hash.reference.js';

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const counting = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i);
const keys = fc.uint8Array({ minLength: 16, maxLength: 16 });

// The authors' vectors for 128-bit output: key 00…0f, messages of 0, 1, 2, … bytes counting up.
test.each([
  [0, 'a3817f04ba25a8e66df67214c7550293'],
  [1, 'da87c1d86b99af44347659119b22fc45'],
  [2, '8177228da4a45dc7fca38bdef60affe4'],
  [3, '9c70b60c5267a94e5f33b6b02985ed51'],
  [4, 'f88164c12d9c8faf7d0f6e7c7bcd5579'],
  [5, '1368875980776f8854527a07690e9627'],
])('message of %d bytes', (length, digest) => {
  expect(hex(keyedHash128(counting(16), counting(length)))).toBe(digest);
  expect(hex(plain(counting(16), counting(length)))).toBe(digest);
});

test('is the same in kernel and plain code, for every length, offset and place', () => {
  const arena = new Uint8Array(createArena({ doubles: 100 }).allocate(100).buffer, 65_536, 800);
  fc.assert(
    fc.property(keys, fc.uint8Array({ maxLength: 300 }), fc.nat(20), (key, bytes, offset) => {
      const digest = plain(key, bytes);
      arena.set(bytes, offset);
      expect(keyedHash128(key, arena.subarray(offset, offset + bytes.length))).toEqual(digest);
      const padded = new Uint8Array(bytes.length + offset);
      padded.set(bytes, offset);
      expect(keyedHash128(key, padded.subarray(offset))).toEqual(digest);
    }),
    { numRuns: 500 },
  );
});

test('does not depend on how the bytes are cut, and a digest can be taken on the way', () => {
  fc.assert(
    fc.property(keys, fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }), (key, pieces) => {
      const hasher = keyedHasher(key);
      const soFar: number[] = [];
      for (const piece of pieces) {
        hasher.update(piece);
        soFar.push(...piece);
        expect(hasher.digest()).toEqual(plain(key, Uint8Array.from(soFar)));
      }
      expect(hasher.digest()).toEqual(hasher.digest());
    }),
    { numRuns: 300 },
  );
});

test('parallel hashers are independent, and long inputs are accepted', () => {
  const long = Uint8Array.from({ length: 50_003 }, (_, i) => (i * 31) & 255);
  const [a, b] = [keyedHasher(counting(16)), keyedHasher(new Uint8Array(16))];
  for (let at = 0; at < long.length; at += 5000) {
    a.update(long.subarray(at, at + 5000));
    b.update(long.subarray(at, at + 5000));
  }
  expect(a.digest()).toEqual(plain(counting(16), long));
  expect(b.digest()).toEqual(plain(new Uint8Array(16), long));
});

describe('keys', () => {
  test('matter, as every byte does', () => {
    const key = counting(16);
    const digests = [hex(keyedHash128(key, counting(9)))];
    for (let i = 0; i < 16; i++) digests.push(hex(keyedHash128(key.with(i, 99), counting(9))));
    for (let i = 0; i < 9; i++) digests.push(hex(keyedHash128(key, counting(9).with(i, 99))));
    expect(new Set(digests).size).toBe(26);
  });

  test.each([0, 15, 17, 32])('of %d bytes are refused', (length) => {
    expect(() => keyedHash128(new Uint8Array(length), counting(3))).toThrow(InvalidParameter);
  });
});
