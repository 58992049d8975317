import type { RandomSource } from '@lethe/core';

/** Whether the uniform number that begins with the 53 bits of `word` is below `numerator / denominator`; more bits are drawn where they decide. */
export function isBelow(word: number, numerator: bigint, denominator: bigint, random: RandomSource): boolean {
  let rest = (numerator << 53n) - BigInt(word) * denominator;
  while (rest > 0n && rest < denominator) rest = (rest << 53n) - BigInt(random.bits53()) * denominator;
  return rest > 0n;
}
