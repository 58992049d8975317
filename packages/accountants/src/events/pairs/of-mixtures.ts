import {
  type Direction,
  type DominatingPair,
  dominatingPair,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { type GaussianMixture, gaussianMixturesLossDistribution } from './mixture.js';

type MixturePair = readonly [first: GaussianMixture, second: GaussianMixture];

/**
 * Pairs of two mixtures of Gaussians, in units of the noise, on neighbours in either order.
 *
 * @param outer - Bounds the release from above: no mean of the first is below one of the second.
 * @param inner - What some neighbours come to, rounded the other way; equal to `outer` where nothing was
 * rounded.
 */
export function pairsOfMixtures(outer: MixturePair, inner?: MixturePair): readonly DominatingPair[] {
  const attained = inner !== undefined && isSame(outer, inner);
  // Rounded inwards, means may have crossed.
  const witness = attained || inner === undefined || !isApart(inner) ? undefined : inner;
  const pairOf = (
    direction: Direction,
    of: (pair: MixturePair) => PrivacyLossDistribution,
  ): DominatingPair => ({
    ...dominatingPair(direction, of(outer), attained),
    ...(witness && { witness: [{ distribution: of(witness), count: 1 }] }),
  });
  const asIs = ([first, second]: MixturePair): PrivacyLossDistribution =>
    gaussianMixturesLossDistribution(first, second);
  if ([outer, ...(witness === undefined ? [] : [witness])].every(isMirrored))
    return [pairOf('symmetric', asIs)];
  return [
    pairOf('remove', asIs),
    pairOf('add', ([first, second]) => gaussianMixturesLossDistribution(negated(second), negated(first))),
  ];
}

const negated = ({ means, probabilities }: GaussianMixture): GaussianMixture => ({
  means: means.map((mean) => -mean),
  probabilities,
});

const isSame = (one: MixturePair, other: MixturePair): boolean =>
  one.every((mixture, side) => hasEqual(mixture, other[side]));

const hasEqual = (one: GaussianMixture, other: GaussianMixture): boolean =>
  areEqual(one.means, other.means) && areEqual(one.probabilities, other.probabilities);

const areEqual = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);

/** Whether each mixture is the other's mirror image, so that both directions are one. */
const isMirrored = ([first, second]: MixturePair): boolean => hasEqual(first, negated(second));

const isApart = ([first, second]: MixturePair): boolean =>
  Math.min(...first.means) >= Math.max(...second.means);
