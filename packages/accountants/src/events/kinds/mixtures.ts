import { dominatingPair, type GaussianCurve } from '@lethe/core';
import { divideDown, divideUp, subtractUp } from '@lethe/numerics';
import type { Knower } from '../knowledge.js';
import {
  type GaussianMixture,
  gaussianMixtureLossDistribution,
  noPairs,
  pairsOfMixtures,
  unprotectedLossDistribution,
} from '../pairs/index.js';

/**
 * The release moves by at most `shifts[i]` with probability `probabilities[i]`; its μ is at most that of the
 * largest shift.
 */
export const gaussianMixture: Knower<'core/gaussian-mixture'> = ({ sigma, shifts, probabilities }) => ({
  gdp: (): GaussianCurve => ({ lower: 0, mu: divideUp(Math.max(...shifts), sigma), exact: false }),
  pair: () => {
    const moved = shifts.map((one) => divideUp(one, sigma));
    if (moved.every((one) => one === 0)) return noPairs;
    if (moved.includes(Infinity)) return [dominatingPair('symmetric', unprotectedLossDistribution)];
    return (['remove', 'add'] as const).map((direction) =>
      dominatingPair(direction, gaussianMixtureLossDistribution(moved, probabilities, direction)),
    );
  },
});

/**
 * One mixture on one neighbour, the other on the other, and the other way round. Each component of one is at
 * most the largest distance of means from each of the other, which bounds μ; the pair itself is attained.
 */
export const gaussianMixturePair: Knower<'core/gaussian-mixture-pair'> = ({ sigma, first, second }) => {
  const [top, bottom] = [Math.max(...first.means), Math.min(...second.means)];
  const isStill = top === bottom;
  return {
    gdp: (): GaussianCurve => ({
      lower: 0,
      mu: divideUp(subtractUp(top, bottom), sigma),
      exact: isStill,
    }),
    pair: () => {
      if (isStill) return noPairs;
      const outer = [inUnits(first, sigma, divideUp), inUnits(second, sigma, divideDown)] as const;
      if (![...outer[0].means, ...outer[1].means].every(Number.isFinite))
        return [dominatingPair('symmetric', unprotectedLossDistribution)];
      const inner = [inUnits(first, sigma, divideDown), inUnits(second, sigma, divideUp)] as const;
      return pairsOfMixtures(outer, inner);
    },
  };
};

const inUnits = (
  { means, probabilities }: GaussianMixture,
  sigma: number,
  divide: typeof divideUp,
): GaussianMixture => ({ means: means.map((mean) => (mean === 0 ? 0 : divide(mean, sigma))), probabilities });
