import { InvalidParameter } from '@lethe/core';
import { requireDimension } from '@lethe/numerics';
import * as z from 'zod/mini';

/** One number per coordinate. */
export const coordinates = z.array(z.number()).check(z.minLength(1), z.describe('one number per coordinate'));
const radius = z.number().check(z.positive(), z.describe('greater than 0, in the units of the coordinates'));
const centre = z.optional(coordinates).check(z.describe('one number per coordinate; the origin if left out'));
/** A ball by radius (positive, in the unit of the coordinates) and centre (the origin unless given). */
export const ballParams = z.strictObject({ radius, centre });

/**
 * The vector of one number per coordinate.
 * @throws {InvalidParameter} on another length, or unless the dimension is a positive integer.
 */
export function spread(name: string, value: number | readonly number[], dimension: number): Float64Array {
  requireDimension(dimension);
  if (typeof value === 'number') return new Float64Array(dimension).fill(value);
  if (value.length !== dimension)
    throw new InvalidParameter(
      `${name} has ${value.length} numbers, and the dimension is ${dimension}; give one for each coordinate`,
      { name, length: value.length, dimension },
    );
  return Float64Array.from(value);
}

/** Radius and centre of a ball in R^dimension. */
export function ballOf(
  params: z.output<typeof ballParams>,
  dimension: number,
): { readonly centre: Float64Array; readonly radius: number } {
  return { centre: spread('centre', params.centre ?? 0, dimension), radius: params.radius };
}
