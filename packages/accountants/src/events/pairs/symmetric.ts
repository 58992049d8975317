import {
  type DominatingPair,
  dominatingPair,
  type PrivacyLossDistribution,
  type GaussianCurve,
} from '@lethe/core';
import { approximateLossDistribution, unprotectedLossDistribution } from './finite.js';
import { gaussianLossDistribution } from './gaussian.js';

/** Pairs of a free event: an empty product. */
export const noPairs: readonly DominatingPair[] = [{ direction: 'symmetric', factors: [], attained: true }];

/** Pairs of an unprotected event. */
export const unprotectedPairs: readonly DominatingPair[] = [
  dominatingPair('symmetric', unprotectedLossDistribution, true),
];

/** One distribution for both directions; `size` 0 is free, and `Infinity` unprotected. */
export function symmetricPairs(
  size: number,
  distributionOf: (size: number) => PrivacyLossDistribution,
  attained: boolean,
): readonly DominatingPair[] {
  if (size === 0) return noPairs;
  return [
    dominatingPair(
      'symmetric',
      size === Infinity ? unprotectedLossDistribution : distributionOf(size),
      attained,
    ),
  ];
}

/** Pairs of Gaussian privacy. */
export const gaussianPairs = ({ mu, exact }: GaussianCurve): readonly DominatingPair[] =>
  symmetricPairs(mu, gaussianLossDistribution, exact);

/**
 * The given pairs with an additional failure of probability `delta`, as one more factor, since failures are
 * independent.
 */
export function failingPairs(delta: number, pairs: readonly DominatingPair[]): readonly DominatingPair[] {
  const failure = delta === 0 ? [] : [{ distribution: approximateLossDistribution(0, delta), count: 1 }];
  return pairs.map((pair) => ({ ...pair, factors: [...pair.factors, ...failure] }));
}

/** Pairs of (ε, δ)-privacy. */
export function approximatePairs(
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
  attained: boolean,
): readonly DominatingPair[] {
  return epsilon === 0 && delta === 0
    ? noPairs
    : [dominatingPair('symmetric', approximateLossDistribution(epsilon, delta), attained)];
}
