import type { Vector } from '../../query/query.js';
import { allFinite, divideInPlace, type RandomSource } from '@lethe/numerics';
import type { LeftNoise, PublicContext } from '../context.js';
import { roundToGrid } from '../public-grid.js';
import type { PlannedNoise } from '../sensitivity.js';

/**
 * A value made an answer, in place: noise is added, and what is
 * told is the multiple of the public grid next to it.
 */
export function noised(
  value: Vector,
  { mechanism, scale, grid }: PlannedNoise,
  coins: () => RandomSource,
): Vector {
  mechanism?.plugin.addNoise(mechanism.params, value, scale, coins().fork('noise'));
  return grid === null ? value : roundToGrid(value, grid);
}

/** The same release as it is left for a trusted server. */
export const withoutNoise = (planned: PlannedNoise): PlannedNoise => ({
  ...planned,
  mechanism: null,
  scale: 0,
  grid: null,
});

/**
 * Tells a trusted server what noise it owes, and nobody else. Of a stream, which goes on and has functions,
 * the public fields are copied.
 */
export function leftNoise(
  { isRaw }: PublicContext,
  { stream, ...left }: LeftNoise,
): { readonly left: LeftNoise } | undefined {
  if (isRaw !== true) return undefined;
  if (stream === undefined) return { left };
  const { id, prefixSum, steps, dimension, bound, noise, scale, participation, normaliser, pushed } = stream;
  return {
    left: {
      ...left,
      stream: { id, prefixSum, steps, dimension, bound, noise, scale, participation, normaliser, pushed },
    },
  };
}

/** Entries that stay in the first caches while they are divided, noised, rounded and copied. */
const block = 4096;

/**
 * A new array: `sum / divisor` made an answer, zeros where it is not finite. The noise of blocks after one
 * another is that of the whole, since noise is independent from entry to entry and from call to call. What is
 * left in `sum` is nobody's.
 */
export function noisedCopy(
  sum: Vector,
  divisor: number,
  { mechanism, scale, grid }: PlannedNoise,
  coins: () => RandomSource,
): Vector {
  // A divisor below 1 may leave what is finite no room.
  const isFinite = divisor >= 1 ? allFinite(sum) : divideInPlace(sum, divisor);
  if (!isFinite) sum.fill(0);
  const random = mechanism === null ? null : coins().fork('noise');
  const answer = new Float64Array(sum.length);
  for (let from = 0; from < sum.length; from += block) {
    const some = sum.subarray(from, Math.min(sum.length, from + block));
    if (divisor >= 1) divideInPlace(some, divisor);
    if (mechanism !== null && random !== null)
      mechanism.plugin.addNoise(mechanism.params, some, scale, random);
    if (grid !== null) roundToGrid(some, grid);
    answer.set(some, from);
  }
  return answer;
}
