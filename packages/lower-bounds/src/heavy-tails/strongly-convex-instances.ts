import type { HardInstance, RandomSource, Vector } from '@lethe/core';
import { coins, hiddenWord, spikes } from './records.js';

interface Shape {
  readonly n: number; readonly dimension: number;
  /** μ of the loss `(μ/2)‖w − x‖²`. */
  readonly convexity: number;
}
/** Shape of the instance of signs. */
export interface MeanBernoulliShape extends Shape {
  /** Length of every record; the ball of iterates has this radius. */
  readonly length: number;
}
/** Shape of an instance of rare records. */
export interface MeanHeavyTailShape extends Shape {
  /** Chance that a record is not null, and its length then. */
  readonly probability: number; readonly length: number;
}

/** Bias of each coin of the non-private strongly convex instance: `1/√(n + 1)`, at which `bias²(1 − bias²)^n` is largest. */
export const meanBernoulliBias = (n: number): number => 1 / Math.sqrt(n + 1);

/**
 * Squared distances from records of independent signs with mean `ν_j/√(n + 1)`, scaled to `length`: a sign of its own for every
 * coordinate, for one common sign would be known by pooling the coordinates. `ν` is uniform over sign vectors.
 */
export function nonPrivateMeanInstance({ n, dimension, convexity, length }: MeanBernoulliShape, random: RandomSource): HardInstance {
  const word = hiddenWord(dimension, random), size = length / Math.sqrt(dimension), bias = meanBernoulliBias(n);
  return instance({ features: coins({ n, word, size, bias }, random), n, convexity, mean: word.map((sign) => bias * size * sign) });
}

/** Squared distances from records that are null but for a chance `p`, when they are along `ν`, uniform over sign vectors. */
export function privateMeanInstance({ n, dimension, convexity, length, probability }: MeanHeavyTailShape, random: RandomSource): HardInstance {
  const word = hiddenWord(dimension, random), size = length / Math.sqrt(dimension);
  return instance({ features: spikes({ n, word, size, probability }, random), n, convexity, mean: word.map((sign) => probability * size * sign) });
}

/** `F(w) − F* = (μ/2)‖w − mean‖²`, for a mean inside of the ball. */
const instance = ({ features, n, convexity, mean }: { readonly features: Float64Array; readonly n: number; readonly convexity: number; readonly mean: Vector }): HardInstance => ({
  features, labels: new Float64Array(n), rows: n, columns: mean.length, optimum: mean,
  excessRisk: (w) => (convexity / 2) * mean.reduce((sum, entry, j) => sum + (w[j] - entry) ** 2, 0),
});
