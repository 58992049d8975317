import type { PrivacyLossDistribution } from '@lethe/core';
import type { Ensemble } from './ensemble.js';

type Masses = Required<PrivacyLossDistribution>['massesInto'];

/**
 * A part of a distribution that can be put on a grid: the masses of some of its outcomes under `P` and `Q`,
 * both times a constant.
 */
export interface DistributionPart extends Pick<PrivacyLossDistribution, 'grain' | 'infinite' | 'support'> {
  /** The masses of all outcomes that may belong to the part, for the upper bound. */
  readonly massesInto: Masses;
  /** The masses of outcomes that belong to no other part, for the lower bound. */
  readonly ownMassesInto: Masses;
}

/** A factor of a product. */
export type Composable = PrivacyLossDistribution | DistributionPart | Ensemble;

/** Whether only the profile of a distribution is known. */
export const isProfileOnly = (distribution: Composable): distribution is PrivacyLossDistribution =>
  distribution.massesInto === undefined;

/**
 * Whether it is a part of a distribution. Without the large losses, a part can be nearly an atom of the grid.
 */
export const isPart = (distribution: Composable): distribution is DistributionPart =>
  'ownMassesInto' in distribution;

/**
 * A distribution split as `bulk + mass · jump`. All masses of both parts add up to at least the distribution,
 * and their own masses to at most it.
 */
export interface SplitDistribution {
  /** Losses below the threshold. */
  readonly bulk: DistributionPart;
  /** Losses from the threshold on, divided by `mass`. */
  readonly jump: DistributionPart;
  /** Approximate probability of a loss from the threshold on. */
  readonly mass: number;
  /** Upper bound on the probability under `P` of the outcomes in both parts. */
  readonly overlap: number;
}

/**
 * A cell's mass is of outcomes whose losses are within half of this, relative to `1 + |loss|`, of the cell.
 */
const margin = 2 ** -43;

/**
 * Splits a distribution of finite losses, or a part of one, at a threshold; `undefined` if almost no mass is
 * above it.
 *
 * A cell can contain outcomes whose losses are slightly outside it, and two calls with a common edge may put
 * an outcome on different sides of it. For the upper bound, both parts therefore extend beyond the threshold
 * by the margin, so that every outcome is in at least one; for the lower bound, both end a margin before it,
 * so that none is in both. A profile does not decrease with the set of outcomes, because it is the sum of the
 * positive parts of `P − e^ε Q` over them.
 *
 * @see jumpsFor, which uses the split.
 */
export function splitDistribution(
  distribution: PrivacyLossDistribution | DistributionPart,
  threshold: number,
): SplitDistribution | undefined {
  const masses = distribution.massesInto?.bind(distribution);
  if (masses === undefined || distribution.infinite > 0) return undefined;
  const own = 'ownMassesInto' in distribution ? distribution.ownMassesInto : masses;
  const grain = distribution.grain ?? 2 ** -44;
  const near = margin * (1 + Math.abs(threshold));
  const [low, high] = [threshold - near, threshold + near];
  const about = new Float64Array(2);
  masses(about, new Float64Array(2), Float64Array.of(low, high, Infinity));
  const mass = about[0] + about[1];
  // Below this, doubles lose precision.
  if (!(mass > 2 ** -900)) return undefined;
  const below =
    (end: number, of: Masses): Masses =>
    (p, q, edges) =>
      of(
        p,
        q,
        edges.map((edge) => Math.min(edge, end)),
      );
  const above =
    (start: number, of: Masses): Masses =>
    (p, q, edges) => {
      of(
        p,
        q,
        edges.map((edge) => Math.max(edge, start)),
      );
      for (let i = 0; i < p.length; i += 1) {
        p[i] /= mass;
        q[i] /= mass;
      }
    };
  // Each of the two calls may put outcomes within one more margin into the overlap.
  const wide = new Float64Array(1);
  masses(wide, new Float64Array(1), Float64Array.of(low - near, high + near));
  const { least, most } = distribution.support;
  return {
    mass,
    overlap: wide[0] * (1 + 2 * grain),
    bulk: {
      infinite: 0,
      grain,
      support: { least, most: Math.min(high, most) },
      massesInto: below(high, masses),
      ownMassesInto: below(low, own),
    },
    jump: {
      infinite: 0,
      grain: grain + 2 ** -52,
      support: { least: Math.max(low, least), most },
      massesInto: above(low, masses),
      ownMassesInto: above(high, own),
    },
  };
}
