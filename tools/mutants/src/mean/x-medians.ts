import { defined, divideUp, multiplyUp } from '@lethe/numerics';
import { type CentralMean } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { coordinateClip, coordinateMedianOfMeans, l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

type Median = CentralMean<typeof coordinateMedianOfMeans.params>;
const medians = (examples: Median['examples'], bug: Partial<Omit<Median, 'kind'>>): Subject<'mean'> =>
  planted({ ...(coordinateMedianOfMeans as Median), examples: defined(examples) }, bug);
const three = [{ limit: 1, groups: 3 }];
const two = [{ limit: 1, groups: 2 }];

export const xMedian1 = defineMutant({
  id: 'mean/median-means-sensitivity-one-coordinate',
  title: 'a median of means with the sensitivity of one coordinate',
  kind: 'mean',
  source: 'Lowy–Razaviyayn, Algorithm 12, without √d',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    medians(three, {
      sensitivity: (params, context) =>
        coordinateMedianOfMeans.sensitivity(params, { ...context, dimension: 1 }),
    }),
});

export const xMedian2 = defineMutant({
  id: 'mean/groups-mean-size-sensitivity-not-divide-slots',
  title: 'groups of the mean size in the sensitivity, where they do not divide the slots',
  kind: 'mean',
  source: 'Lowy–Razaviyayn, Algorithm 12, without m | s',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    medians(three, {
      sensitivity(params, context) {
        // Refuses fewer slots than groups.
        coordinateMedianOfMeans.sensitivity(params, context);
        const { limit, groups } = params;
        const { dimension, slots } = context;
        const one = divideUp(limit * Math.sqrt(dimension) * groups, slots);
        return { 'replace-one': 2 * one, 'zero-out': one };
      },
    }),
});

export const xMedian3 = defineMutant({
  id: 'mean/larger-two-central-means-median-half-sensitivity',
  title: 'the larger of two central means is the median, at half of the sensitivity',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    medians(two, {
      begin({ limit, groups }, { dimension, slots }) {
        const sums = Array.from({ length: groups }, () => new Float64Array(dimension));
        return {
          add(slot, gradient) {
            const record = gradient.slice();
            coordinateClip.clipInPlace({ radius: limit }, record);
            record.forEach((x, j) => {
              sums[slot % groups][j] += x;
            });
          },
          value: () =>
            Float64Array.from(
              { length: dimension },
              (_, j) =>
                sums
                  .map((sum, group) => sum[j] / Math.ceil((slots - group) / groups))
                  .toSorted((a, b) => a - b)[groups >> 1],
            ),
          finish: (noised) => noised,
        };
      },
    }),
});

export const xMedian4 = defineMutant({
  id: 'mean/every-number-groups-sensitivity-even-one',
  title: 'every number of groups has the sensitivity of an even one',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    medians(three, {
      sensitivity: (params, context) => {
        const { 'zero-out': one } = coordinateMedianOfMeans.sensitivity(params, context);
        return { 'replace-one': one, 'zero-out': defined(one) / 2 };
      },
    }),
});

export const xMedian5 = defineMutant({
  id: 'mean/median-bias-clipping-alone-mean',
  title: 'a median has the bias of clipping alone, as a mean would',
  kind: 'mean',
  source: 'Lowy–Razaviyayn, Proposition 53: E of a median is no median of E',
  killedBy: ['mean/bias-bound'],
  within: 500,
  plant: () =>
    medians(three, {
      biasBound: ({ limit }, _context, moment) => l2Clip.biasBound({ radius: limit }, moment),
    }),
});

export const xMedian6 = defineMutant({
  id: 'mean/variance-median-mean-over-all-slots',
  title: 'the variance of a median is that of the mean over all slots',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/variance-bound'],
  within: 500,
  plant: () =>
    medians(three, {
      varianceBound: ({ limit }, shape, moment, noise) => {
        const { dimension, slots } = shape;
        coordinateMedianOfMeans.varianceBound({ limit, groups: 1 }, shape, moment, noise);
        return (
          multiplyUp(dimension, noise) +
          l2Clip.varianceBound({ radius: limit * Math.sqrt(dimension) }, moment) / slots
        );
      },
    }),
});
