import { expect, test } from 'vitest';
import { bytesOf } from '../encoding/bytes.js';
import { engineOf } from '../linalg/arena.js';
import { zerosInArena } from '../linalg/long-vectors.js';
import { keyedHasher } from './keyed-hash.js';
import { longSums } from './long-hash.js';
import { longHasher } from './long-hasher.js';

const key = Uint8Array.from({ length: 16 }, (_, i) => 3 * i);
const values = Float64Array.from({ length: 9001 }, (_, i) => Math.cos(i));

/** By the sums of the whole input, and its length. */
function expected(input: Float64Array): Uint8Array {
  const { size, copy } = longSums(key);
  const sums = new Uint8Array(size(input.length));
  copy(input, new Float64Array(input.length), sums);
  const hasher = keyedHasher(key);
  hasher.update(sums);
  hasher.update(bytesOf(Float64Array.of(8 * input.length)));
  return hasher.digest();
}

function hashed(input: Float64Array, cuts: readonly number[]): Uint8Array {
  const hasher = longHasher(key);
  let from = 0;
  for (const cut of [...cuts, input.byteLength]) hasher.update(bytesOf(input).subarray(from, (from = cut)));
  return hasher.digest();
}

test('is the keyed hash of sums and length, however the input is cut and wherever it lies', () => {
  const inArena = zerosInArena(values.length);
  inArena.set(values);
  const whole = expected(values);
  for (const input of [values, inArena])
    for (const cuts of [[], [1, 1023, 1024, 1025, 50_000], [0, 16_384, 40_001, 40_002]])
      expect(hashed(input, cuts)).toEqual(whole);
  const engine = engineOf(inArena);
  expect([...(engine?.longKey ?? [1]), ...(engine?.longSums ?? [1])].every((byte) => byte === 0)).toBe(true);
});

test('tells apart inputs of other lengths, and that differ in one bit', () => {
  const all = new Set<string>();
  const inputs = [0, 1, 127, 128, 129].map((length) => new Float64Array(length));
  for (const input of [...inputs, values, values.with(9000, 0), values.with(0, 0)])
    all.add(hashed(input, []).join());
  expect(all.size).toBe(8);
});
