import type { Vector } from '../../query/query.js';
import type { LeftNoise, PublicContext } from '../context.js';
import type { RandomSource } from '@lethe/numerics';
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

/** Tells a trusted server what noise it owes, and nobody else. A stream goes on, so what is told is a copy. */
export function leftNoise(
  { isRaw }: PublicContext,
  { stream, ...left }: LeftNoise,
): { readonly left: LeftNoise } | undefined {
  if (isRaw !== true) return undefined;
  return { left: { ...left, ...(stream === undefined ? {} : { stream: { ...stream } }) } };
}
