import type { LossLaw } from '@lethe/core';

/** The pair whose profile is the largest of several: that of a mechanism chosen among them, by whom it may be. Only its profile is known. */
export function maximalLaw(laws: readonly LossLaw[]): LossLaw {
  return {
    hockeyStick(epsilon) {
      const all = laws.map((law) => law.hockeyStick(epsilon));
      return { lower: Math.max(...all.map(({ lower }) => lower)), upper: Math.max(...all.map(({ upper }) => upper)) };
    },
    infinite: Math.max(...laws.map(({ infinite }) => infinite)),
    support: { least: Math.min(...laws.map(({ support }) => support.least)), most: Math.max(...laws.map(({ support }) => support.most)) },
  };
}
