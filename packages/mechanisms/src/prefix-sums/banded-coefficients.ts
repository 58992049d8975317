import * as z from 'zod';
import { squareRootCoefficient } from './toeplitz-square-root.js';

const coefficients = z
  .array(z.number().nonnegative())
  .min(1)
  .refine((values) => values[0] === 1, { error: 'must begin with 1: only ratios matter' })
  .refine((values) => values.every((value, k) => k === 0 || value <= values[k - 1]), {
    error: 'must not increase: only then is the sensitivity of repeated participation known exactly',
  });

/**
 * The coefficients of a banded Toeplitz matrix: the first of
 * the square root of the running sum, or those that are given.
 */
export const bandSchema = z.union([
  z.strictObject({
    bandwidth: z
      .int()
      .positive()
      .max(2 ** 16),
  }),
  z.strictObject({ coefficients }),
]);
export type Band = z.output<typeof bandSchema>;

/** Width of the band; it may exceed the length of the stream. */
export const bandwidthOf = (band: Band): number =>
  'bandwidth' in band ? band.bandwidth : band.coefficients.length;

const lists = new WeakMap<Band, Float64Array>();

/** All coefficients, cached per parameter object. */
export function coefficientsOf(band: Band): Float64Array {
  let list = lists.get(band);
  if (list === undefined) {
    list =
      'bandwidth' in band
        ? Float64Array.from({ length: band.bandwidth }, (_, k) => squareRootCoefficient(k))
        : Float64Array.from(band.coefficients);
    lists.set(band, list);
  }
  return list;
}
