import fc from 'fast-check';
import { multiScale } from './arbitraries.js';

/**
 * A law on finitely many vectors of one length; weights add up to
 * 1 exactly (they are multiples of a power of two).
 */
export interface DiscreteDistribution {
  readonly points: readonly Float64Array[];
  readonly weights: readonly number[];
}

export const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));
export const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, j) => x - b[j]);

export const discreteDistributions = (dimension = 2): fc.Arbitrary<DiscreteDistribution> =>
  fc
    .array(
      fc.tuple(
        fc.array(multiScale(-2, 2), { minLength: dimension, maxLength: dimension }),
        fc.integer({ min: 1, max: 64 }),
      ),
      { minLength: 2, maxLength: 5 },
    )
    .map((atoms) => {
      const total = atoms.reduce((sum, [, weight]) => sum + weight, 0);
      const weights = atoms.map(([, weight]) => weight / 512);
      weights[0] += 1 - total / 512;
      return { points: atoms.map(([point]) => Float64Array.from(point)), weights };
    });

export function expectation(distribution: DiscreteDistribution, f: (point: Float64Array) => number): number {
  return distribution.points.reduce((sum, point, i) => sum + distribution.weights[i] * f(point), 0);
}

export function mean(
  distribution: DiscreteDistribution,
  map: (point: Float64Array) => Float64Array,
): Float64Array {
  const images = distribution.points.map((point) => map(point));
  return images[0].map((_, j) =>
    images.reduce((sum, image, i) => sum + distribution.weights[i] * image[j], 0),
  );
}

export const momentOf = (
  distribution: DiscreteDistribution,
  order: number,
): { order: number; value: number } => ({
  order,
  value: expectation(distribution, (point) => norm(point) ** order),
});
