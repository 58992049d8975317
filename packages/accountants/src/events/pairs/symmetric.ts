import { type DominatingPair, dominatingPair, type PrivacyLossDistribution, type GaussianCurve } from '@lethe/core';
import { approximateLossDistribution, unprotectedLossDistribution } from './finite.js';
import { gaussianLossDistribution } from './gaussian.js';

/** Pairs of what costs nothing. */
export const noPairs: readonly DominatingPair[] = [{ direction: 'symmetric', factors: [], attained: true }];

/** Pairs of what reveals everything. */
export const unprotectedPairs: readonly DominatingPair[] = [dominatingPair('symmetric', unprotectedLossDistribution, true)];

/** One law for both directions; those without one are told by their `size`, 0 or `Infinity`. */
export function symmetricPairs(size: number, law: (size: number) => PrivacyLossDistribution, attained: boolean): readonly DominatingPair[] {
  if (size === 0) return noPairs;
  return [dominatingPair('symmetric', size === Infinity ? unprotectedLossDistribution : law(size), attained)];
}

/** Pairs of Gaussian privacy. */
export const gaussianPairs = ({ mu, exact }: GaussianCurve): readonly DominatingPair[] => symmetricPairs(mu, gaussianLossDistribution, exact);

/** Pairs of what reveals everything with probability `delta`, and else has the given ones: one more factor, as failures are independent of the rest. */
export function failingPairs(delta: number, pairs: readonly DominatingPair[]): readonly DominatingPair[] {
  const failure = delta === 0 ? [] : [{ distribution: approximateLossDistribution(0, delta), count: 1 }];
  return pairs.map((pair) => ({ ...pair, factors: [...pair.factors, ...failure] }));
}

/** Pairs of (ε, δ)-privacy. */
export function approximatePairs({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }, attained: boolean): readonly DominatingPair[] {
  return epsilon === 0 && delta === 0 ? noPairs : [dominatingPair('symmetric', approximateLossDistribution(epsilon, delta), attained)];
}
