import * as z from 'zod';
import type { Moments } from './distribution.js';
import type { DataRandom } from './random-source.js';

const size = z.number().positive().min(1e-100).max(1e100);

/**
 * Rows in pairs `x`, `−x` with `x_j = ±scale_j` by fair bits: every
 * entry is as large as its bound, and the mean of all rows is exactly 0.
 */
export const balancedSigns = z.strictObject({
  law: z.literal('balanced-signs'),
  scale: z.union([size, z.array(size).min(1)]).default(1),
});

type BalancedSigns = z.output<typeof balancedSigns>;

const momentsOf = (scale: number): Moments => ({ mean: 0, second: scale ** 2, fourth: scale ** 4 });

/** Moments of an entry: one for all columns, or one for each where scales differ. */
export const momentsOfSigns = ({ scale }: BalancedSigns): Moments | readonly Moments[] =>
  typeof scale === 'number' ? momentsOf(scale) : scale.map(momentsOf);

/**
 * Fills `[rows, columns]`, row-major, with an even number of
 * rows: each odd one is the one before it, negated.
 */
export function balancedSignsInto(
  out: Float64Array,
  columns: number,
  { scale }: BalancedSigns,
  random: DataRandom,
): Float64Array {
  for (let row = 0; row < out.length; row += 2 * columns) {
    for (let column = 0; column < columns; column++) {
      const bound = typeof scale === 'number' ? scale : scale[column];
      const entry = random.uniform() < 0.5 ? bound : -bound;
      out[row + column] = entry;
      out[row + columns + column] = -entry;
    }
  }
  return out;
}
