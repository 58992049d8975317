import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inflate } from './inflate.js';
import { kernelsLength, kernelsPacked } from './kernels.wasm.js';

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

test('ends on data that are cut anywhere, and on none', () => {
  const some = Uint8Array.from({ length: 500 }, (_, i) => (i * i) % 7);
  for (const way of ways) {
    const packed = deflateRawSync(some, way);
    for (let cut = 0; cut < packed.length; cut++)
      expect(() => inflate(packed.subarray(0, cut), 500)).toThrow(TypeError);
  }
});

test('gives of changed data what zlib gives, where zlib takes them', () => {
  const some = Uint8Array.from({ length: 300 }, (_, i) => (i * i) % 37);
  const packedBy = ways.map((way) => deflateRawSync(some, way));
  const changes = fc.array(fc.tuple(fc.nat(59), fc.nat(7)), { minLength: 1, maxLength: 3 });
  let taken = 0;
  fc.assert(
    fc.property(fc.constantFrom(...packedBy), changes, (packed, changed) => {
      const data = Uint8Array.from(packed);
      for (const [at, bit] of changed) data[at % data.length] ^= 1 << bit;
      const [own, zlib] = [() => inflate(data, some.length), () => new Uint8Array(inflateRawSync(data))].map(
        (unpack) => {
          try {
            return unpack();
          } catch (error) {
            return error instanceof TypeError || 'code' in (error as Error) ? null : error;
          }
        },
      );
      const theirs = zlib instanceof Uint8Array && zlib.length === some.length ? zlib : null;
      if (theirs !== null) expect(own).toStrictEqual(theirs);
      else expect(own === null || own instanceof Uint8Array).toBe(true);
      if (theirs !== null) taken++;
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(10);
});

test('refuses more codewords than there are, what repeats nothing, and lengths that contradict themselves', () => {
  /** A last block with codes of its own; `told`: lengths in the code of lengths, of 16, 17, 18, 0, … */
  const block = (told: readonly number[], ...more: readonly (readonly [value: number, bits: number])[]) => {
    const out: number[] = [];
    const put = (value: number, bits: number): void => {
      for (let i = 0; i < bits; i++) out.push((value >> i) & 1);
    };
    put(1, 1);
    put(2, 2);
    put(0, 5);
    put(0, 5);
    put(told.length - 4, 4);
    for (const one of told) put(one, 3);
    for (const [value, bits] of more) put(value, bits);
    const packed = new Uint8Array(Math.ceil(out.length / 8) + 40);
    for (const [i, bit] of out.entries()) packed[i >> 3] |= bit << (i & 7);
    return packed;
  };
  expect(() => inflate(block([1, 1, 1, 1]), 1)).toThrow(/without a meaning/u);
  expect(() => inflate(block([1, 1, 0, 0], [0, 1]), 1)).toThrow(/without a meaning/u);
  const stored = deflateRawSync(Uint8Array.of(1, 2, 3), { level: 0 });
  stored[3] ^= 1;
  expect(() => inflate(stored, 3)).toThrow(/length that is none/u);
});

test('unpacks the kernels as zlib does', () => {
  const packed = Buffer.from(kernelsPacked, 'base64');
  expect(inflateRawSync(packed).equals(inflate(packed, kernelsLength))).toBe(true);
});
