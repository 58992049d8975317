import type { HardInstance, RandomSource, Vector } from '@lethe/core';
import { biasedSigns, hiddenWord, rareRecords } from './records.js';

interface Shape {
  readonly n: number;
  readonly dimension: number;
  /** Iterates stay in the centred ℓ2 ball of this radius. */
  readonly radius: number;
}
/** Parameters of the instance of independent signs. */
export interface BernoulliShape extends Shape {
  /** Length of every record. */
  readonly moment: number;
}
/** Parameters of an instance of rare records. */
export interface HeavyTailShape extends Shape {
  /** Probability that a record is not null, and the length of such a record. */
  readonly probability: number;
  readonly length: number;
}

/** Bias of each coin of the non-private convex instance: `1/(2√n)`. */
export const bernoulliBias = (n: number): number => 1 / (2 * Math.sqrt(n));

/**
 * Linear losses of records with independent signs of mean `ν_j/(2√n)`, scaled to length `moment`: `n` records
 * are not enough to learn `ν`, which is uniform over sign vectors.
 */
export function nonPrivateInstance(
  { n, dimension, radius, moment }: BernoulliShape,
  random: RandomSource,
): HardInstance {
  const word = hiddenWord(dimension, random);
  const size = moment / Math.sqrt(dimension);
  const bias = bernoulliBias(n);
  return instance({
    features: biasedSigns({ n, word, size, bias }, random),
    n,
    radius,
    mean: word.map((sign) => bias * size * sign),
  });
}

/**
 * Linear losses of records that are null, except with probability `p` along `ν`, which is uniform over sign
 * vectors. Few records carry the whole signal, so private algorithms cannot learn it.
 */
export function privateInstance(
  { n, dimension, radius, length, probability }: HeavyTailShape,
  random: RandomSource,
): HardInstance {
  const word = hiddenWord(dimension, random);
  const size = length / Math.sqrt(dimension);
  return instance({
    features: rareRecords({ n, word, size, probability }, random),
    n,
    radius,
    mean: word.map((sign) => probability * size * sign),
  });
}

/** The linear problem `F(w) = −⟨w, mean⟩` over the centred ball; the minimiser is `radius · mean/‖mean‖`. */
function instance({
  features,
  n,
  radius,
  mean,
}: {
  readonly features: Float64Array;
  readonly n: number;
  readonly radius: number;
  readonly mean: Vector;
}): HardInstance {
  const length = Math.sqrt(mean.reduce((sum, entry) => sum + entry * entry, 0));
  return {
    features,
    labels: new Float64Array(n),
    rows: n,
    columns: mean.length,
    optimum: mean.map((entry) => (radius * entry) / length),
    excessRisk: (w) => radius * length - mean.reduce((sum, entry, j) => sum + entry * w[j], 0),
  };
}
