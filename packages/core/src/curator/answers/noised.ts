import type { Vector } from '../../query/query.js';
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
