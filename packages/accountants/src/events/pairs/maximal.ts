import type { PrivacyLossDistribution } from '@lethe/core';

/** The pair whose profile is the largest of several: that of a mechanism chosen among them, by whom it may be. Only its profile is known. */
export function maximalLossDistribution(distributions: readonly PrivacyLossDistribution[]): PrivacyLossDistribution {
  return {
    hockeyStick(epsilon) {
      const all = distributions.map((distribution) => distribution.hockeyStick(epsilon));
      return { lower: Math.max(...all.map(({ lower }) => lower)), upper: Math.max(...all.map(({ upper }) => upper)) };
    },
    infinite: Math.max(...distributions.map(({ infinite }) => infinite)),
    support: { least: Math.min(...distributions.map(({ support }) => support.least)), most: Math.max(...distributions.map(({ support }) => support.most)) },
  };
}
