import * as z from 'zod';
import type { Moments } from './distribution.js';
import type { DataRandom } from './random-source.js';

/** Rows of one norm, in uniform directions. */
export const sphere = z.strictObject({
  law: z.literal('sphere'),
  radius: z.number().positive().min(1e-100).max(1e100).default(1).describe('Norm of every row.'),
});

/** Parsed form of {@link sphere}. */
export type Sphere = z.output<typeof sphere>;

/** Of one entry: `E X² = r²/d` and `E X⁴ = 3r⁴/(d(d + 2))`. */
export const momentsOnSphere = ({ radius }: Sphere, columns: number): Moments => ({
  mean: 0,
  second: radius ** 2 / columns,
  fourth: (3 * radius ** 4) / (columns * (columns + 2)),
});

/** Fills `[rows, columns]`, row-major. */
export function sphereInto(
  out: Float64Array,
  columns: number,
  { radius }: Sphere,
  random: DataRandom,
): Float64Array {
  random.gaussianInto(out);
  for (let row = 0; row < out.length; row += columns) {
    const one = out.subarray(row, row + columns);
    const length = Math.hypot(...one);
    const scale = length > 0 ? radius / length : 0;
    for (let j = 0; j < columns; j++) one[j] *= scale;
    if (scale === 0) one[0] = radius;
  }
  return out;
}
