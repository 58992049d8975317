import type { PrivacyLossDistribution } from '@lethe/core';

/** Pointwise maximum of profiles: dominates a mechanism chosen adaptively among several. It has no masses. */
export function maximalLossDistribution(
  distributions: readonly PrivacyLossDistribution[],
): PrivacyLossDistribution {
  return {
    hockeyStick(epsilon) {
      const all = distributions.map((distribution) => distribution.hockeyStick(epsilon));
      return {
        lower: Math.max(...all.map(({ lower }) => lower)),
        upper: Math.max(...all.map(({ upper }) => upper)),
      };
    },
    infinite: Math.max(...distributions.map(({ infinite }) => infinite)),
    support: {
      least: Math.min(...distributions.map(({ support }) => support.least)),
      most: Math.max(...distributions.map(({ support }) => support.most)),
    },
  };
}
