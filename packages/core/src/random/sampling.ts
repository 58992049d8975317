import { InvalidParameter } from '../errors.js';
import type { RandomSource } from './source.js';

/** Ascending positions in `[0, n)`, each taken independently with probability `rate`, by geometric gaps: O(batch) work. */
export function poissonSample(random: RandomSource, n: number, rate: number): Uint32Array {
  if (!(rate > 0 && rate <= 1)) throw new InvalidParameter(`rate is ${rate}; it must be in (0, 1]`, { rate });
  if (rate === 1) return Uint32Array.from({ length: n }, (_, i) => i);
  const taken: number[] = [];
  const scale = 1 / Math.log1p(-rate);
  for (let at = -1; ;) {
    at += 1 + Math.floor(Math.log(random.uniform()) * scale);
    if (at >= n) return Uint32Array.from(taken);
    taken.push(at);
  }
}

/** A uniform permutation of `[0, n)` (Fisher–Yates). */
export function permutation(random: RandomSource, n: number): Uint32Array {
  return sampleWithoutReplacement(random, n, n);
}

/** `k` distinct positions of `[0, n)`, uniformly, in random order. */
export function sampleWithoutReplacement(random: RandomSource, n: number, k: number): Uint32Array {
  if (!Number.isSafeInteger(k) || k < 0 || k > n) throw new InvalidParameter(`${k} positions cannot be drawn from ${n} without replacement`, { n, k });
  const all = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = 0; i < k; i++) {
    const j = i + random.integer(n - i);
    const held = all[i]!;
    all[i] = all[j]!;
    all[j] = held;
  }
  return all.slice(0, k);
}
