import { InvalidParameter, type Vector } from '@lethe/core';
import * as z from 'zod/mini';

/**
 * A bound on records of real entries. Below 1e-280 a mean over many slots, and its noise, could be subnormal
 * doubles, whose rounding error is as large as the contribution of a record.
 */
export const radiusUpTo = (most: number): z.ZodMiniNumber<number> =>
  z.number().check(z.minimum(1e-280), z.maximum(most));

/**
 * @throws {InvalidParameter} unless the dimension is a whole number from 1 to 2³¹: 16 gibibytes of doubles.
 */
export function assertDimension(dimension: number): void {
  if (Number.isSafeInteger(dimension) && dimension >= 1 && dimension <= 2 ** 31) return;
  throw new InvalidParameter(
    `a mean in dimension ${dimension} was asked for; it must be a whole number from 1 to 2^31`,
    { dimension },
  );
}

/** @throws {InvalidParameter} unless a record's vector has as many entries as the mean. */
export function assertLength(vector: Vector, dimension: number): void {
  if (vector.length === dimension) return;
  throw new InvalidParameter(
    `a vector of length ${vector.length} was added; the mean has dimension ${dimension}`,
    { length: vector.length, dimension },
  );
}

/** @throws {InvalidParameter} unless the variance is finite and at least 0. */
export function assertNoiseVariance(noiseVariance: number): void {
  if (noiseVariance >= 0 && Number.isFinite(noiseVariance)) return;
  throw new InvalidParameter(
    `a noise variance of ${noiseVariance} was given; it must be finite and at least 0`,
    { noiseVariance },
  );
}
