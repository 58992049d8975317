import * as z from 'zod';
import { type EntryDistribution, type Moments, momentsOf } from './distribution.js';
import type { DataRandom } from './random-source.js';
import { logGammaStream, studentTLimit } from './student-t.js';

/**
 * Rows of standard normals over one root of a chi-square over its
 * degrees of freedom: a row is large in all entries at once. Spherical.
 */
export const multivariateT = z.strictObject({
  law: z.literal('multivariate-t'),
  degreesOfFreedom: z.number().positive().max(1e9),
  scale: z.number().positive().min(1e-100).max(1e100).default(1),
});

/** Parsed form of {@link multivariateT}. */
export type MultivariateT = z.output<typeof multivariateT>;

/** Each entry has Student's law. */
const marginalOf = ({ degreesOfFreedom, scale }: MultivariateT): EntryDistribution => ({
  law: 'student-t',
  degreesOfFreedom,
  scale,
});

export const momentsOfEntry = (spec: MultivariateT): Moments => momentsOf(marginalOf(spec));

/** Fills `[rows, columns]`, row-major. */
export function multivariateTInto(
  out: Float64Array,
  columns: number,
  { degreesOfFreedom, scale }: MultivariateT,
  random: DataRandom,
): Float64Array {
  const logGamma = logGammaStream(degreesOfFreedom / 2, random.fork('chi-square'));
  random.fork('numerator').gaussianInto(out);
  const logHalf = Math.log(degreesOfFreedom / 2);
  for (let row = 0; row < out.length; row += columns) {
    const radius = Math.exp((logHalf - logGamma()) / 2);
    for (let k = row; k < row + columns; k++)
      out[k] =
        scale *
        Math.min(Math.max(out[k] * Math.min(radius, Number.MAX_VALUE), -studentTLimit), studentTLimit);
  }
  return out;
}
