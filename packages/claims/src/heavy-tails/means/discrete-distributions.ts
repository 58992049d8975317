import fc, { type Arbitrary } from 'fast-check';
import { minus, norm } from '../../common/vectors.js';

/** A distribution on finitely many vectors of equal dimension. */
export interface DiscreteDistribution {
  readonly points: readonly (readonly number[])[];
  readonly probabilities: readonly number[];
}

/** Numbers of sizes from 1e-3 to 1e3, both signs, and 0. */
export const sizes: Arbitrary<number> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -5, max: 0 }))
      .map(([digits, exponent]) => digits * 10 ** exponent),
  },
);
/** Orders of moments, whole and not. */
export const orders: Arbitrary<number> = fc.constantFrom(2, 2.5, 3, 4, 8);

/** Distributions of up to six vectors in up to four dimensions, with very different probabilities. */
export const discreteDistributions = ({
  dimensions = 4,
  most = 6,
}: { readonly dimensions?: number; readonly most?: number } = {}): Arbitrary<DiscreteDistribution> =>
  fc
    .tuple(fc.integer({ min: 1, max: dimensions }), fc.integer({ min: 1, max: most }))
    .chain(([dimension, count]) =>
      fc.record({
        points: fc.array(fc.array(sizes, { minLength: dimension, maxLength: dimension }), {
          minLength: count,
          maxLength: count,
        }),
        weights: fc.array(
          fc.integer({ min: 0, max: 10 }).map((k) => 2 ** -k),
          { minLength: count, maxLength: count },
        ),
      }),
    )
    .map(({ points, weights }) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return { points, probabilities: weights.map((weight) => weight / total) };
    });

/** Mean of a number over the distribution. */
export const expectation = (
  { points, probabilities }: DiscreteDistribution,
  of: (point: readonly number[]) => number,
): number => points.reduce((sum, point, i) => sum + probabilities[i] * of(point), 0);

/** Mean of a vector over the distribution. */
export const meanVector = (
  distribution: DiscreteDistribution,
  of: (point: readonly number[]) => ArrayLike<number> = (point) => point,
): number[] => distribution.points[0].map((_, j) => expectation(distribution, (point) => of(point)[j]));

/** `E‖z‖^k`. */
export const rawMoment = (distribution: DiscreteDistribution, order: number): number =>
  expectation(distribution, (point) => norm(point) ** order);
/** `E‖z − E z‖²` of a vector over the law. */
export function spread(
  distribution: DiscreteDistribution,
  of: (point: readonly number[]) => ArrayLike<number> = (point) => point,
): number {
  const mean = meanVector(distribution, of);
  return expectation(distribution, (point) => norm(minus(of(point), mean)) ** 2);
}

/** All sequences of that many points, with their probabilities: a sample of the law. */
export function* samplesOf(
  { points, probabilities }: DiscreteDistribution,
  count: number,
): Generator<{ readonly sample: readonly (readonly number[])[]; readonly probability: number }> {
  if (count === 0) {
    yield { sample: [], probability: 1 };
    return;
  }
  for (const { sample, probability } of samplesOf({ points, probabilities }, count - 1))
    for (let i = 0; i < points.length; i++)
      yield { sample: [...sample, points[i]], probability: probability * probabilities[i] };
}
