import type { Norm } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { onAxis, vectorOf, type Row, type VectorShape } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';

/**
 * A distribution on finitely many vectors: every expectation is
 * a finite sum. Weights add up to 1, up to rounding.
 */
export interface DiscreteDistribution {
  readonly points: readonly Row[];
  readonly weights: readonly number[];
}

export function expectation({ points, weights }: DiscreteDistribution, of: (point: Row) => number): number {
  let sum = 0;
  for (let i = 0; i < points.length; i++) sum += weights[i] * of(points[i]);
  return sum;
}

/**
 * Expectation of vectors of equal length, one for each point.
 *
 * @param points - Subtracted from the vectors, if given.
 */
export function meanOf(
  images: readonly ArrayLike<number>[],
  weights: readonly number[],
  points?: readonly ArrayLike<number>[],
): Float64Array {
  const mean = new Float64Array(images[0].length);
  for (let i = 0; i < images.length; i++) {
    const [weight, image, point] = [weights[i], images[i], points?.[i]];
    if (point === undefined) for (let j = 0; j < mean.length; j++) mean[j] += weight * image[j];
    else for (let j = 0; j < mean.length; j++) mean[j] += weight * (image[j] - point[j]);
  }
  return mean;
}

/** `E‖image − E image‖²` in the norm. */
export function varianceOf(
  images: readonly ArrayLike<number>[],
  weights: readonly number[],
  norm: Norm,
): number {
  const mean = meanOf(images, weights);
  const apart = new Float64Array(mean.length);
  let sum = 0;
  for (let i = 0; i < images.length; i++) {
    const image = images[i];
    for (let j = 0; j < mean.length; j++) apart[j] = image[j] - mean[j];
    sum += weights[i] * normOf(norm, apart) ** 2;
  }
  return sum;
}

/** `E‖z‖^order` in the norm, rounded up. */
export const momentIn = (distribution: DiscreteDistribution, order: number, norm: Norm): number =>
  expectation(distribution, (point) => normOf(norm, point) ** order) * (1 + 2 ** -40);

const normalised = (weights: readonly number[]): readonly number[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/**
 * Distributions on one to three points of every size, and
 * Pareto-like ones: sizes are powers of two with geometric weights.
 */
export function discreteDistributions(shape: VectorShape): Arbitrary<DiscreteDistribution> {
  const vector = vectorOf(shape);
  const weight = fc.oneof(
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 0, max: 12 }).map((k) => 2 ** k),
  );
  const few = fc
    .array(fc.tuple(vector, weight), { minLength: 1, maxLength: 3, size: 'max' })
    .map((atoms): DiscreteDistribution => ({
      points: atoms.map(([point]) => point),
      weights: normalised(atoms.map(([, share]) => share)),
    }));
  const opposite = fc.tuple(vector, fc.constantFrom(1, 0.5, 2)).map(([point, by]): DiscreteDistribution => ({
    points: [point, point.map((x) => -x * by + 0)],
    weights: normalised([by, 1]),
  }));
  const tail = fc
    .tuple(vector, fc.constantFrom(1, 1.5, 2, 2.5, 3, 4, 5), fc.integer({ min: 2, max: 24 }))
    .map(([point, index, count]): DiscreteDistribution => ({
      points: Array.from({ length: count }, (_, i) => point.map((x) => x * 2 ** i)),
      weights: normalised(Array.from({ length: count }, (_, i) => 2 ** (-index * i))),
    }));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: few },
    { weight: 1, arbitrary: opposite },
    { weight: 2, arbitrary: tail },
  );
}

/** Orders of the moments tested. */
export const orders = [2, 2.5, 3, 4, 5, 8] as const;
/** Those that a search tries. */
export const searchedOrders = [...orders, 3.5, 6, 7, 12] as const;

/** Directions for tests of bounds: an axis, the corner of the cube, and one with distinct entries. */
export const directionsOf = (dimension: number): readonly Row[] =>
  dimension === 1
    ? [[1], [-1]]
    : [
        onAxis(dimension, 0, 1),
        onAxis(dimension, dimension - 1, -1),
        Array.from({ length: dimension }, () => 1),
        Array.from({ length: dimension }, (_, j) => (j + 1) * (j % 2 === 0 ? 1 : -1)),
      ];
