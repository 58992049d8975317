import { deflateRawSync, constants } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inflate } from './inflate.js';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3000 }).map((some) => Uint8Array.from(some)),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
    .map(([part, times]) =>
      Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length]),
    ),
);
/** Blocks with codes of their own, with the usual codes, and without any. */
const ways = [
  { level: 9 },
  { level: 9, strategy: constants.Z_FIXED },
  { level: 9, strategy: constants.Z_HUFFMAN_ONLY },
  { level: 0 },
];

test('gives back what zlib has packed, in every kind of block', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom(...ways), (some, way) => {
      expect(Buffer.from(inflate(deflateRawSync(some, way), some.length)).equals(some)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('refuses data that are cut short, too long or too short, or no data', () => {
  const some = Uint8Array.from({ length: 500 }, (_, i) => (i * i) % 7);
  const packed = deflateRawSync(some);
  expect(() => inflate(packed.subarray(0, packed.length - 4), 500)).toThrow(/end too early/u);
  expect(() => inflate(packed, 499)).toThrow(/longer/u);
  expect(() => inflate(packed, 501)).toThrow(/shorter/u);
  expect(() => inflate(Uint8Array.of(7, 0), 1)).toThrow(/no kind/u);
});
