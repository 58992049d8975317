import { InvalidParameter } from '@lethe/core';
import { latticeSize, stepsWithin } from '@lethe/curator';
import { findRoot } from '@lethe/numerics';
import { requirePositive } from '../common/require.js';

/** What spacings of a net of sparse points are chosen by. */
export interface NetSetting {
  /** `n`. */
  readonly records: number;
  readonly dimension: number;
  /** `s`: entries of a gradient that may differ from zero. */
  readonly sparsity: number;
  /** `L`. */
  readonly lipschitz: number;
  /** `B`: losses of one record differ by at most this much between points. */
  readonly range: number;
  /** `D`: no point of the domain is farther from the centre. */
  readonly distance: number;
}

/** A lattice around the centre: points with at most `entries` coordinates off it. */
export interface Net {
  /** `τ`. */
  readonly spacing: number;
  /** `k`. */
  readonly entries: number;
  /** Points at most. */
  readonly size: number;
}

/**
 * The net of spacing `τ`: at most `D²/τ²` coordinates off the centre, in a domain where coordinates may be
 * moved towards the centre. Rounding each coordinate of a point towards the centre gives a point of the net
 * within `τ` in the maximum norm.
 *
 * @param entries - Other than that number.
 * @see Ghazi and others 2024, Lemma 7.3, whose 1/τ² is that for D = 1.
 */
export function sparseNet(
  { dimension, distance }: Pick<NetSetting, 'dimension' | 'distance'>,
  spacing: number,
  entries = Math.min(dimension, Math.floor((distance / spacing) ** 2 * (1 + 2 ** -40))),
): Net {
  requirePositive({ dimension, distance, spacing });
  return { spacing, entries, size: latticeSize(dimension, entries, stepsWithin(distance, spacing)) };
}

/**
 * `τ` with `τ³/ln(dD/(τβ)) = BD²/(L√s·εn)`, below `dD/β`.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Ghazi and others 2024, Theorem 7.5, where the right side is inverted and D is 1.
 */
export function sparseNetSpacing(
  setting: NetSetting,
  { epsilon, failure }: { readonly epsilon: number; readonly failure: number },
): number {
  requirePositive({ ...setting, epsilon });
  if (!(failure > 0 && failure < 1))
    throw new InvalidParameter(`failure is ${failure}; it must be between 0 and 1`, { failure });
  const { records, dimension, sparsity, lipschitz, range, distance } = setting;
  const most = (dimension * distance) / failure;
  const right = Math.log((range * distance ** 2) / (lipschitz * Math.sqrt(sparsity) * epsilon * records));
  // In t = ln(most/τ) > 0 the left side is 3(ln most − t) − ln t, which falls.
  const excess = (t: number): number => right - 3 * (Math.log(most) - t) + Math.log(t);
  let high = 1;
  while (excess(high) < 0) high *= 2;
  let low = high;
  while (excess(low) > 0) low /= 2;
  const { lower, upper } = findRoot(excess, low, high, { tolerance: high * 2 ** -52, maximumProbes: 200 });
  return most * Math.exp(-(lower + upper) / 2);
}

/**
 * Bound on the excess empirical risk of a choice from a net: `L√s·τ`, by which its best point misses, and
 * what the choice misses.
 */
export const sparseNetRisk = (
  { lipschitz, sparsity }: Pick<NetSetting, 'lipschitz' | 'sparsity'>,
  { spacing }: Pick<Net, 'spacing'>,
  regret: number,
): number => lipschitz * Math.sqrt(sparsity) * spacing + regret;

/**
 * What the exponential mechanism misses but with probability `β`: `(2B/(εn))·(ln(net size) + ln(1/β))`.
 *
 * @see Ghazi and others 2024, Theorem 7.5, which leaves the 2 out.
 */
export const likelyRegret = (
  { range, records }: Pick<NetSetting, 'range' | 'records'>,
  { size }: Pick<Net, 'size'>,
  { epsilon, failure }: { readonly epsilon: number; readonly failure: number },
): number => ((2 * range) / (epsilon * records)) * (Math.log(size) + Math.log(1 / failure));

/**
 * Of the nets of spacing `D/j`, `j = 1, 2, …`, with at most so many points, the one with the least bound.
 *
 * @returns `null` where even that of spacing `D` has more points.
 */
export function leastBoundNet(
  setting: NetSetting,
  mostPoints: number,
  boundOf: (net: Net) => number,
): Net | null {
  let best: Net | null = null;
  for (let j = 1; ; j++) {
    const net = sparseNet(setting, setting.distance / j, Math.min(setting.dimension, j * j));
    if (!(net.size <= mostPoints)) return best;
    if (best === null || boundOf(net) < boundOf(best)) best = net;
  }
}
