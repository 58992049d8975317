import { defined } from '@lethe/numerics';
import { histogramWitness } from './histogram-witness.js';
import { requireCount } from './require.js';
import type { Witness } from './witness.js';

/** Number of pairs for learning a direction, and then its histogram. */
export interface LearnedWitnessOptions {
  /** Number of coordinates of an output. */
  readonly dimension: number;
  /** Pairs for learning the direction. @defaultValue 1000 */
  readonly train?: number;
  /** Further pairs that determine the bins. @defaultValue 1000 */
  readonly warmUp?: number;
  /** @defaultValue 20 */
  readonly bins?: number;
}

/**
 * Learns the linear combination of `yᵢ, |yᵢ|, yᵢ²` that best separates the two distributions (the first
 * Newton step of logistic regression, which is Fisher's discriminant), then histograms of it.
 */
export function learnedWitness({
  dimension,
  train = 1000,
  warmUp = 1000,
  bins = 20,
}: LearnedWitnessOptions): Witness {
  requireCount('dimension', dimension, 1);
  requireCount('train', train, 1);
  const size = 3 * dimension;
  const x = new Float64Array(size);
  const sumP = new Float64Array(size);
  const sumQ = new Float64Array(size);
  const products = new Float64Array(size * size);
  let direction: Float64Array | undefined;
  let seen = 0;
  const statistic = (y: ArrayLike<number>): number => {
    featuresInto(x, y);
    return defined(direction).reduce((sum, weight, i) => sum + weight * x[i], 0);
  };
  const take = (sum: Float64Array, y: ArrayLike<number>): void => {
    featuresInto(x, y);
    for (let i = 0; i < size; i++) {
      sum[i] += x[i];
      for (let j = 0; j <= i; j++) products[i * size + j] += x[i] * x[j];
    }
  };
  const histogram = histogramWitness({ name: 'learned direction', statistic, bins, warmUp });
  return {
    name: histogram.name,
    get ready() {
      return histogram.ready;
    },
    get wait() {
      return (direction === undefined ? train - seen : 0) + (histogram.wait ?? 0);
    },
    score: histogram.score,
    learn(fromP, fromQ) {
      if (direction !== undefined) return histogram.learn(fromP, fromQ);
      take(sumP, fromP);
      take(sumQ, fromQ);
      if (++seen === train) direction = discriminant(sumP, sumQ, products, train);
    },
  };
}

/** Bounded features, so that heavy tails and infinities do not dominate. */
function featuresInto(out: Float64Array, y: ArrayLike<number>): void {
  const d = out.length / 3;
  for (let i = 0; i < d; i++) {
    const value = Number.isFinite(y[i]) ? Math.max(-1e6, Math.min(1e6, y[i])) : 0;
    out[i] = value;
    out[d + i] = Math.abs(value);
    out[2 * d + i] = value * value;
  }
}

/** Covariance⁻¹ · (difference of the means), with a ridge relative to each variance. */
function discriminant(
  sumP: Float64Array,
  sumQ: Float64Array,
  products: Float64Array,
  count: number,
): Float64Array {
  const size = sumP.length;
  const covariance = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      covariance[i * size + j] =
        products[i * size + j] / (2 * count) -
        ((sumP[i] + sumQ[i]) * (sumP[j] + sumQ[j])) / (4 * count * count);
    }
    covariance[i * size + i] += 1e-6 * (products[i * size + i] / (2 * count)) + Number.MIN_VALUE ** 0.5;
  }
  return solve(
    covariance,
    sumP.map((sum, i) => (sum - sumQ[i]) / count),
  );
}

/** Cholesky's method, in place, from the lower triangle. */
function solve(a: Float64Array, b: Float64Array): Float64Array {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = a[i * n + j];
      for (let k = 0; k < j; k++) rest -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i === j ? Math.sqrt(Math.max(rest, Number.MIN_VALUE)) : rest / a[j * n + j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}
