import type { RandomSource } from '@lethe/core';

/**
 * True with probability exactly `p`: compares random bits with the bits of the double `p` until one differs;
 * two bits on average.
 *
 * @param p - From 0 to 1.
 */
export function bernoulli(random: RandomSource, p: number): boolean {
  if (p >= 1) return true;
  for (let rest = p; rest > 0;) {
    rest *= 2;
    const bit = rest >= 1 ? 1 : 0;
    const drawn = random.integer(2);
    if (drawn !== bit) return drawn < bit;
    rest -= bit;
  }
  return false;
}

/** `⌊x⌋` or the next whole number, with mean exactly `x`. */
export function roundAtRandom(random: RandomSource, x: number): number {
  const low = Math.floor(x);
  return low + (bernoulli(random, x - low) ? 1 : 0);
}

/** A binomial number of `count` trials with probability ½, exactly; 32 trials per draw. */
export function fairHeads(random: RandomSource, count: number): number {
  let heads = 0;
  let left = count;
  for (; left >= 32; left -= 32) heads += ones(random.bits32());
  return left === 0 ? heads : heads + ones(random.integer(2 ** left));
}

/** Ones among the 32 bits of a number. */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
