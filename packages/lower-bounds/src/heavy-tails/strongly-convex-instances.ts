import type { HardInstance, RandomSource, Vector } from '@lethe/core';
import { biasedSigns, hiddenWord, rareRecords } from './records.js';

interface Shape {
  readonly n: number;
  readonly dimension: number;
  /** μ of the loss `(μ/2)‖w − x‖²`. */
  readonly convexity: number;
}
/** Parameters of the instance of independent signs. */
export interface MeanBernoulliShape extends Shape {
  /** Length of every record; the ball of iterates has this radius. */
  readonly length: number;
}
/** Parameters of an instance of rare records. */
export interface MeanHeavyTailShape extends Shape {
  /** Probability that a record is not null, and the length of such a record. */
  readonly probability: number;
  readonly length: number;
}

/**
 * Bias of each coin of the non-private strongly convex instance:
 * `1/√(n + 1)`, at which `bias²(1 − bias²)^n` is largest.
 */
export const meanBernoulliBias = (n: number): number => 1 / Math.sqrt(n + 1);

/**
 * Squared distances from records of independent signs with mean `ν_j/√(n + 1)`, scaled to `length`. Each
 * coordinate has its own sign, since a common sign could be learned by pooling the coordinates. `ν` is
 * uniform over sign vectors.
 */
export function nonPrivateMeanInstance(
  { n, dimension, convexity, length }: MeanBernoulliShape,
  random: RandomSource,
): HardInstance {
  const word = hiddenWord(dimension, random);
  const size = length / Math.sqrt(dimension);
  const bias = meanBernoulliBias(n);
  return instance({
    features: biasedSigns({ n, word, size, bias }, random),
    n,
    convexity,
    mean: word.map((sign) => bias * size * sign),
  });
}

/**
 * Squared distances from records that are null, except with probability `p` along `ν`, uniform over sign
 * vectors.
 */
export function privateMeanInstance(
  { n, dimension, convexity, length, probability }: MeanHeavyTailShape,
  random: RandomSource,
): HardInstance {
  const word = hiddenWord(dimension, random);
  const size = length / Math.sqrt(dimension);
  return instance({
    features: rareRecords({ n, word, size, probability }, random),
    n,
    convexity,
    mean: word.map((sign) => probability * size * sign),
  });
}

/** `F(w) − F* = (μ/2)‖w − mean‖²`, for a mean inside the ball. */
const instance = ({
  features,
  n,
  convexity,
  mean,
}: {
  readonly features: Float64Array;
  readonly n: number;
  readonly convexity: number;
  readonly mean: Vector;
}): HardInstance => ({
  features,
  labels: new Float64Array(n),
  rows: n,
  columns: mean.length,
  optimum: mean,
  excessRisk: (w) => (convexity / 2) * mean.reduce((sum, entry, j) => sum + (w[j] - entry) ** 2, 0),
});
