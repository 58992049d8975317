import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { engineOf, scratchEngine } from '../linalg/arena.js';
import { zerosInArena } from '../linalg/long-vectors.js';
import { longSums } from './long-hash.js';
import { sumsOfBlock } from './long-hash.reference.js';

const key = Uint8Array.from({ length: 16 }, (_, i) => i);

/** The sums of an array, with the key that the kernel has. */
function sumsOf(values: Float64Array): { readonly sums: Uint8Array; readonly copy: Float64Array } {
  const { size, copy } = longSums(key);
  const sums = new Uint8Array(size(values.length));
  const own = new Float64Array(values.length);
  copy(values, own, sums);
  return { sums, copy: own };
}

const patterns = fc.uint8Array({ minLength: 8, maxLength: 64 });

test('are those of big integers, block by block, and the copy has the same bits', () => {
  fc.assert(
    fc.property(patterns, fc.integer({ min: 0, max: 3000 }), (pattern, length) => {
      const bytes = Uint8Array.from(
        { length: 8 * length },
        (_, i) => pattern[(i * i + 7 * i) % pattern.length],
      );
      const { sums, copy } = sumsOf(new Float64Array(bytes.buffer));
      expect(new Uint8Array(copy.buffer)).toEqual(bytes);
      const padded = new Uint8Array(1024 * Math.ceil(bytes.length / 1024));
      padded.set(bytes);
      const engineKey = scratchEngine().longKey.slice();
      const expected: bigint[] = [];
      for (let at = 0; at < padded.length; at += 1024)
        expected.push(...sumsOfBlock(engineKey, padded.subarray(at, at + 1024)));
      expect([...new BigUint64Array(sums.buffer)]).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

test('change with every bit of an array, all four of them', () => {
  const values = Float64Array.from({ length: 300 }, (_, i) => Math.sin(i));
  const before = new BigUint64Array(sumsOf(values).sums.buffer);
  const bits = new BigUint64Array(values.buffer);
  for (let bit = 0; bit < 64 * 300; bit += 37) {
    const place = Math.floor(bit / 64);
    bits[place] ^= 1n << BigInt(bit % 64);
    const after = new BigUint64Array(sumsOf(values).sums.buffer);
    const block = Math.floor((8 * place) / 1024);
    before.forEach((sum, k) => expect(sum !== after[k], `bit ${bit}, sum ${k}`).toBe(k >> 2 === block));
    bits[place] ^= 1n << BigInt(bit % 64);
  }
});

test('sums of two arrays with one difference differ over keys as often as they should', () => {
  // Differences that cancel for bad pairings: two words of a pair swapped, and groups swapped.
  const values = Float64Array.from({ length: 128 }, (_, i) => i + 1);
  for (const [a, b] of [
    [0, 2],
    [0, 4],
    [1, 3],
    [0, 1],
  ]) {
    const swapped = values.slice();
    [swapped[a], swapped[b]] = [values[b], values[a]];
    for (let k = 0; k < 50; k++) {
      const { size, copy } = longSums(Uint8Array.from({ length: 16 }, (_, i) => k + i));
      const [one, other] = [values, swapped].map((given) => {
        const sums = new Uint8Array(size(128));
        copy(given, new Float64Array(128), sums);
        return [...new BigUint64Array(sums.buffer)];
      });
      expect(one.filter((sum, t) => sum === other[t])).toEqual([]);
    }
  }
});

test('tell whether all numbers are finite', () => {
  const { size, copy } = longSums(key);
  for (const length of [1, 127, 128, 5000])
    for (const [place, value] of [
      [0, NaN],
      [length - 1, Infinity],
      [length >> 1, -Infinity],
      [0, 1e308],
      [0, 5e-324],
    ]) {
      const values = new Float64Array(length).fill(1e308).with(place, value);
      const told = copy(values, new Float64Array(length), new Uint8Array(size(length)));
      expect(told).toBe(Number.isFinite(value));
    }
});

test('keys of another length and copies of another length are refused', () => {
  expect(() => longSums(new Uint8Array(15))).toThrow(InvalidParameter);
  expect(() => longSums(key).copy(new Float64Array(3), new Float64Array(2), new Uint8Array(32))).toThrow(
    InvalidParameter,
  );
});

test('are the same where the copy lies in an arena, which keeps nothing of the key', () => {
  const { size, copy } = longSums(key);
  for (const length of [1, 128, 2048, 2100, 5000]) {
    const values = Float64Array.from({ length }, (_, j) => Math.cos(j));
    const own = zerosInArena(length);
    for (const bad of [null, length - 1]) {
      const given = bad === null ? values : values.with(bad, NaN);
      const sums = new Uint8Array(size(length));
      expect(copy(given, own, sums)).toBe(bad === null);
      expect(own).toEqual(given);
      expect(sums).toEqual(sumsOf(given).sums);
      const engine = engineOf(own);
      expect([...(engine?.longKey ?? [1]), ...(engine?.longSums ?? [1])].every((byte) => byte === 0)).toBe(
        true,
      );
    }
  }
});
