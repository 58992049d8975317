import type { PrivacyLossDistribution } from '@lethe/core';

type Masses = Required<PrivacyLossDistribution>['massesInto'];

/** A part of a law that can be put on a grid: the masses of some of its outcomes, under `P` and `Q`, both times a constant. */
export interface DistributionPart extends Pick<PrivacyLossDistribution, 'grain' | 'infinite' | 'support'> {
  /** Of all outcomes that may be of the part: for what dominates. */
  readonly massesInto: Masses;
  /** Of those that are of no other part: for what is dominated. */
  readonly ownMassesInto: Masses;
}

/** What products are composed of. */
export type Composable = PrivacyLossDistribution | DistributionPart;

/** Whether only the profile of a law is known. */
export const isProfileOnly = (distribution: Composable): distribution is PrivacyLossDistribution => distribution.massesInto === undefined;

/** Whether it is a part of a law, which is nearly an atom of the grid where large losses were cut off. */
export const isPart = (distribution: Composable): distribution is DistributionPart => 'ownMassesInto' in distribution;

/** A law cut in two, `bulk + mass · jump`: together they are at least the law, and by what is their own at most the law. */
export interface SplitDistribution {
  /** Losses below the threshold. */
  readonly bulk: DistributionPart;
  /** Losses from the threshold on, divided by `mass`. */
  readonly jump: DistributionPart;
  /** About the probability of a loss from the threshold on. */
  readonly mass: number;
  /** At most the probability under `P` of what both parts hold. */
  readonly overlap: number;
}

/** Masses are of outcomes whose losses are within half of this, relative to `1 + |loss|`, of their cells. */
const margin = 2 ** -43;

/**
 * Cuts a law of finite losses that has masses at a threshold; `undefined` where next to nothing is above.
 *
 * A cell holds outcomes whose losses are near it, and two questions with one edge need not agree on which side of it an outcome is. So
 * what dominates is cut with both parts going beyond the threshold by the margin, that every outcome is in one of them; what is
 * dominated is cut with both ending a margin before it, that none is in both. A profile grows with the set of outcomes, since it is
 * the sum of the positive parts of `P − e^ε Q` over them.
 *
 * @see jumpsFor for what is composed of the parts.
 */
export function splitDistribution(distribution: PrivacyLossDistribution, threshold: number): SplitDistribution | undefined {
  const masses = distribution.massesInto?.bind(distribution);
  if (masses === undefined || distribution.infinite > 0) return undefined;
  const grain = distribution.grain ?? 2 ** -44;
  const near = margin * (1 + Math.abs(threshold));
  const [low, high] = [threshold - near, threshold + near];
  const about = new Float64Array(2);
  masses(about, new Float64Array(2), Float64Array.of(low, high, Infinity));
  const mass = about[0]! + about[1]!;
  // Below this, doubles lose digits.
  if (!(mass > 2 ** -900)) return undefined;
  const below = (end: number): Masses => (p, q, edges) => masses(p, q, edges.map((edge) => Math.min(edge, end)));
  const above = (start: number): Masses => (p, q, edges) => {
    masses(p, q, edges.map((edge) => Math.max(edge, start)));
    for (let i = 0; i < p.length; i += 1) {
      p[i]! /= mass;
      q[i]! /= mass;
    }
  };
  // Each of two questions may put outcomes of one more margin into the overlap.
  const wide = new Float64Array(1);
  masses(wide, new Float64Array(1), Float64Array.of(low - near, high + near));
  const { least, most } = distribution.support;
  return {
    mass, overlap: wide[0]! * (1 + 2 * grain),
    bulk: { infinite: 0, grain, support: { least, most: Math.min(high, most) }, massesInto: below(high), ownMassesInto: below(low) },
    jump: { infinite: 0, grain: grain + 2 ** -52, support: { least: Math.max(low, least), most }, massesInto: above(low), ownMassesInto: above(high) },
  };
}
