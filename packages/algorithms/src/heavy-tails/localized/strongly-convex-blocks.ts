import { InvalidParameter } from '@lethe/core';
import { requireCounts } from '../../common/require.js';

/**
 * Sizes of the consecutive blocks on which the localized method is run for strongly convex losses:
 * `N_j = 2^(j−2) n/log₂ n` for `j = 1, …, ⌈log₂ log₂ n⌉`, each rounded down to a power of two. Their sum is
 * below `n`; what is left over is not read.
 *
 * @throws {InvalidParameter} unless `records` is a whole number, at least 16: below, the first block would
 * have no two records.
 * @see Lowy and Razaviyayn, Appendix G.3; Feldman, Koren and Talwar 2020.
 */
export function stronglyConvexBlocks(records: number): readonly number[] {
  requireCounts({ records });
  if (records < 16)
    throw new InvalidParameter(`records is ${records}; blocks of growing size need at least 16`, { records });
  const levels = Math.log2(records);
  return Array.from({ length: Math.ceil(Math.log2(levels)) }, (_, j) =>
    floorToPowerOfTwo((2 ** (j - 1) * records) / levels),
  );
}

/** The largest power of two up to `value ≥ 1`. */
export function floorToPowerOfTwo(value: number): number {
  const power = 2 ** Math.floor(Math.log2(value));
  if (power > value) return power / 2;
  return 2 * power <= value ? 2 * power : power;
}
