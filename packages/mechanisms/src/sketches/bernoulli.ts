import type { RandomSource } from '@lethe/core';

/**
 * True with probability exactly `p`, a double from 0 to 1: the binary digits of a uniform number are compared
 * with those of `p`, 53 at a time, until they differ.
 */
export function bernoulli(p: number, random: RandomSource): boolean {
  for (let rest = p; ;) {
    const scaled = rest * 2 ** 53;
    const digits = Math.floor(scaled);
    const drawn = random.bits53();
    if (drawn !== digits) return drawn < digits;
    rest = scaled - digits;
    if (rest === 0) return false;
  }
}
