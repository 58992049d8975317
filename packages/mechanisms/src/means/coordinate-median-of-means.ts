import { addUp, divideUp, logDown, logUp, multiplyUp, sqrtUp, subtractUp } from '@lethe/numerics';
import { defineMean, InvalidParameter, Unsupported, type MeanShape, type Moment } from '@lethe/core';
import * as z from 'zod';
import { coordinateClip } from '../clips/coordinate-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { lowyRazaviyayn } from '../sources.js';
import { assertDimension, assertLength, assertNoiseVariance, radiusUpTo } from './checks.js';
import { medianOfSorted } from './median.js';

/**
 * Clips every coordinate to `[−limit, limit]`, averages over groups of slots, takes the median of the group
 * means in each coordinate and adds Gaussian noise once. Slot `i` belongs to group `i mod groups`, so group
 * sizes differ by at most one slot; each mean is over the group's own
 * public number of slots. For an even number of groups the median is the middle of the two central means.
 *
 * Sensitivity under zero-out: `limit·√dimension / g`, where `g = ⌊slots / groups⌋`, for odd `groups`. For
 * even ones it is half of that: one record moves one group's mean, and the two central means are never that
 * of one group. Twice as much under replace-one. Under add-remove there is none: a record that leaves would
 * move all later ones to other groups.
 *
 * Error bounds, for independent records with one distribution and clipped variance
 * `V = E‖clip(z) − E clip(z)‖²` (which is at most `min(dimension·limit², (E‖z‖^k)^(2/k))`): if the median
 * exceeds a value, so do half of the means at least, hence `E‖median − E clip(z)‖² ≤ c·V/g` with
 * `c = groups / ⌈groups/2⌉ < 2` (and 1 for one group, ½ for two, which are plain means).
 * - variance: `dimension · noise variance + c·V/g`;
 * - bias: `sup E(‖z‖ − limit)₊`, that of the clip, and `√(c·V/g)` of the median, which has a bias where the
 *   distribution is skewed; 0 for one or two groups.
 *
 * The published analysis (its Lemmas 52 and 57) has a constant of 10 and logarithms in their places, and
 * noise of 18 times the variance that its own algorithm prints; the sensitivity here is that of the
 * algorithm. {@link medianOfMeansGroups} has what holds with high probability.
 *
 * @param params - `limit`: from 1e-280 to 1e280, in the unit of
 * the entries; `groups`: at most the number of slots.
 */
export const coordinateMedianOfMeans = defineMean({
  name: 'coordinate-median-of-means',
  summary:
    'Median over groups of slots, coordinate by coordinate, ' +
    'of means of clipped entries, with Gaussian noise.',
  source: lowyRazaviyayn('Algorithm 12'),
  params: z.strictObject({ limit: radiusUpTo(1e280), groups: z.int().positive() }),
  examples: [
    { limit: 1, groups: 3 },
    { limit: 0.25, groups: 1 },
    { limit: 3, groups: 2 },
  ],
  claims: [
    {
      property: 'sensitivity',
      statement:
        '2·limit·√dimension / ⌊slots/groups⌋ under replace-one for odd groups, ' +
        'half of it for even ones; half of either under zero-out',
    },
    {
      property: 'sensitivity-attained',
      statement: 'by one record at a corner of the cube, in a group between two camps',
    },
    {
      property: 'bias-bound',
      statement:
        'sup E(‖z‖ − limit)₊ + √(c·V/⌊slots/groups⌋), c = groups/⌈groups/2⌉; ' +
        'without the second term for one or two groups',
    },
    { property: 'variance-bound', statement: 'dimension · noise variance + c·V/⌊slots/groups⌋' },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity({ limit, groups }, { dimension, slots }) {
    assertRoom(groups, dimension);
    const moved = divideUp(multiplyUp(limit, sqrtUp(dimension)), smallestGroup(groups, slots));
    const one = groups % 2 === 0 ? moved / 2 : moved;
    return { 'replace-one': 2 * one, 'zero-out': one };
  },
  begin({ limit, groups }, { dimension, slots }) {
    smallestGroup(groups, slots);
    assertRoom(groups, dimension);
    const sums = new Float64Array(groups * dimension);
    const record = new Float64Array(dimension);
    return {
      add(slot, gradient) {
        assertLength(gradient, dimension);
        record.set(gradient);
        coordinateClip.clipInPlace({ radius: limit }, record);
        for (let j = 0, at = (slot % groups) * dimension; j < dimension; j++) sums[at + j] += record[j];
      },
      value() {
        const means = new Float64Array(groups);
        const sizes = Float64Array.from({ length: groups }, (_, group) =>
          Math.ceil((slots - group) / groups),
        );
        return Float64Array.from({ length: dimension }, (_, j) => {
          for (let group = 0; group < groups; group++)
            means[group] = sums[group * dimension + j] / sizes[group];
          return medianOfSorted(means.toSorted());
        });
      },
      finish: (noised) => noised,
    };
  },
  scaled: ({ limit, groups }, factor) => ({ limit: limit * factor, groups }),
  event: (_params, noise) => noise,
  biasBound({ limit, groups }, context, moment) {
    const clipping = l2Clip.biasBound({ radius: limit }, moment);
    return groups <= 2 && smallestGroup(groups, context.slots) > 0
      ? clipping
      : addUp(clipping, sqrtUp(spread(limit, groups, context, moment)));
  },
  varianceBound({ limit, groups }, context, moment, noiseVariance) {
    assertNoiseVariance(noiseVariance);
    return addUp(multiplyUp(context.dimension, noiseVariance), spread(limit, groups, context, moment));
  },
});

/** @throws {InvalidParameter} unless slots are whole and every group has one. */
function smallestGroup(groups: number, slots: number): number {
  if (Number.isSafeInteger(slots) && slots >= groups) return Math.floor(slots / groups);
  throw new InvalidParameter(
    `${slots} slots cannot be divided among ${groups} groups; give a whole number of slots, ` +
      `at least ${groups}, or fewer groups`,
    { slots, groups },
  );
}

/** Sums of this many numbers take two gibibytes. */
const mostSums = 2 ** 28;

/**
 * @throws {InvalidParameter} for what is no dimension;
 * {@link Unsupported} for more sums than there may be memory for.
 */
function assertRoom(groups: number, dimension: number): void {
  assertDimension(dimension);
  if (groups * dimension <= mostSums) return;
  throw new Unsupported(
    `sums of ${groups} groups in dimension ${dimension} need more than two gibibytes; ` +
      (dimension > mostSums ? 'use another mean' : `take at most ${Math.floor(mostSums / dimension)} groups`),
    { groups, dimension, most: mostSums },
  );
}

/** `c·V/g`: a bound on `E‖median − E clip(z)‖²`. */
function spread(limit: number, groups: number, { dimension, slots }: MeanShape, moment: Moment): number {
  const variance = l2Clip.varianceBound({ radius: multiplyUp(limit, sqrtUp(dimension)) }, moment);
  const share = groups <= 2 ? divideUp(1, groups) : divideUp(groups, Math.ceil(groups / 2));
  return divideUp(multiplyUp(share, variance), smallestGroup(groups, slots));
}

/**
 * Groups with which, before noise, all coordinates of {@link coordinateMedianOfMeans} are within `2·√(Vⱼ/g)`
 * of `E clip(zⱼ)` with probability at least `1 − failure`, for i.i.d. records with clipped
 * variances `Vⱼ` and `g` slots in the smallest group; so the answer is within `2·√(V/g)` in ℓ2. It is
 * `⌈8·ln(dimension / failure)⌉`: by Chebyshev's inequality a mean is that far off with probability at most ¼,
 * and by Hoeffding's half of them are with probability at most `e^(−groups/8)`.
 *
 * @throws {InvalidParameter} unless `dimension` is a positive whole number and `failure` in (0, 1).
 * @see Lowy & Razaviyayn, Lemma 57, with constants 10 and 20 instead of 2 and 8.
 */
export function medianOfMeansGroups(dimension: number, failure: number): number {
  if (!Number.isSafeInteger(dimension) || dimension < 1)
    throw new InvalidParameter(`the dimension is ${dimension}; it must be a positive whole number`, {
      dimension,
    });
  if (!(failure > 0 && failure < 1))
    throw new InvalidParameter(`a failure probability of ${failure} was given; it must be between 0 and 1`, {
      failure,
    });
  return Math.max(1, Math.ceil(multiplyUp(8, subtractUp(logUp(dimension), logDown(failure)))));
}
