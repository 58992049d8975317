import { divideUp, multiplyUp } from '@lethe/numerics';
import { type ShuffleContext } from '@lethe/core';
import * as z from 'zod';
import type { Bits } from './counted-sum.js';

/** Bits for one number. */
export const levelsSchema = z
  .int()
  .min(2)
  .max(2 ** 20)
  .optional();

/**
 * Number of levels at which rounding adds at most a quarter of the range to the error of all users together.
 */
export const crowdLevels = (users: number, least = 4): number =>
  Math.max(4, Math.ceil(Math.sqrt(users)), Math.ceil(least));

/**
 * Upper bound on the variance of one count, in its own unit: of the
 * users' random bits, and of rounding half-way between levels.
 */
export function scaledVariance(
  range: number,
  { levels, noiseBits }: Bits,
  { users }: ShuffleContext,
): number {
  const unit = divideUp(range, levels);
  return multiplyUp(multiplyUp(unit, unit), multiplyUp(users, 1 + noiseBits) / 4);
}
