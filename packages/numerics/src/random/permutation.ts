import { InvalidParameter } from '../errors.js';
import type { RandomSource } from './random-source.js';

const MAX_POSITIONS = 2 ** 32 - 1;

/**
 * A uniform permutation of `[0, n)` (Fisher and Yates), without modulo bias.
 *
 * @throws {InvalidParameter} unless `n` is a whole number below 2³².
 */
export function permutation(random: RandomSource, n: number): Uint32Array {
  return sampleWithoutReplacement(random, n, n);
}

/**
 * `k` distinct positions of `[0, n)` in random order; all ordered choices are equally likely.
 *
 * @throws {InvalidParameter} unless `0 <= k <= n < 2³²`, whole numbers.
 */
export function sampleWithoutReplacement(random: RandomSource, n: number, k: number): Uint32Array {
  if (!Number.isInteger(n) || n < 0 || n > MAX_POSITIONS || !Number.isInteger(k) || k < 0 || k > n) {
    throw new InvalidParameter(
      `${k} of ${n} positions cannot be drawn without replacement; ` +
        'whole numbers with 0 <= k <= n < 2^32 are needed',
      { n, k },
    );
  }
  return 8 * k < n ? fewOf(random, n, k) : manyOf(random, n, k);
}

/** All draws before all swaps, so that the processor can overlap the memory accesses of the swaps. */
function manyOf(random: RandomSource, n: number, k: number): Uint32Array {
  const targets = new Uint32Array(k);
  for (let i = 0; i < k; i++) targets[i] = i + random.integer(n - i);
  const all = new Uint32Array(n);
  for (let i = 0; i < n; i++) all[i] = i;
  for (let i = 0; i < k; i++) {
    const j = targets[i];
    const held = all[i];
    all[i] = all[j];
    all[j] = held;
  }
  return k === n ? all : all.slice(0, k);
}

/** The same shuffle, storing only the changed positions. */
function fewOf(random: RandomSource, n: number, k: number): Uint32Array {
  const moved = new Map<number, number>();
  const chosen = new Uint32Array(k);
  for (let i = 0; i < k; i++) {
    const j = i + random.integer(n - i);
    chosen[i] = moved.get(j) ?? j;
    moved.set(j, moved.get(i) ?? i);
  }
  return chosen;
}
