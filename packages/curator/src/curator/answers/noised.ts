import type { LeftNoise, Vector } from '@lethe/core';
import { noteFinite } from '@lethe/core/internal';
import { divideInPlace, type RandomSource } from '@lethe/numerics';
import type { PublicContext } from '../context.js';
import { roundAndCompare, roundToGrid } from '../public-grid.js';
import type { SumByBlocks } from '../long-sum.js';
import type { PlannedNoise } from '../sensitivity.js';

/**
 * A value made an answer, in place: noise is added, and what is
 * told is the multiple of the public grid next to it.
 */
export function noised(
  value: Vector,
  { mechanism, scale, grid }: PlannedNoise,
  randomness: () => RandomSource,
): Vector {
  mechanism?.plugin.addNoise(mechanism.params, value, scale, randomness().fork('noise'));
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

/**
 * `sum / divisor` made an answer in another array, zeros where it is not finite. The noise of blocks after
 * one another is that of the whole, since noise is independent from entry to entry and from call to call.
 *
 * @param room - Memory for the answer, used if it has the answer's length. @defaultValue new memory
 */
export function noisedCopy(
  sum: SumByBlocks,
  divisor: number,
  planned: PlannedNoise,
  randomness: () => RandomSource,
  room: Vector | null,
): Vector {
  const answer = room?.length === sum.length ? room : new Float64Array(sum.length);
  if (!noiseBlocks(sum, divisor, planned, randomness, answer)) {
    sum.clear();
    noiseBlocks(sum, divisor, planned, randomness, answer);
  }
  return answer;
}

/** @returns whether the sum was finite. If not, a part of the answer is written, and none of it is told. */
function noiseBlocks(
  sum: SumByBlocks,
  divisor: number,
  { mechanism, scale, grid }: PlannedNoise,
  randomness: () => RandomSource,
  answer: Vector,
): boolean {
  const random = mechanism === null ? null : randomness().fork('noise');
  let isFinite = true;
  let isNear = true;
  sum.eachBlock((some, at) => {
    isFinite = divideInPlace(some, divisor) && isFinite;
    if (!isFinite) return;
    if (mechanism !== null && random !== null)
      mechanism.plugin.addNoise(mechanism.params, some, scale, random);
    isNear = grid !== null && roundAndCompare(some, grid) && isNear;
    answer.set(some, at);
  });
  noteFinite(answer, isFinite && isNear);
  return isFinite;
}
