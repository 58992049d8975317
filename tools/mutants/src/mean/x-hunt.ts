import { seededRandom, type CentralMean, type MeanShape, type MeanRun, type Vector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import {
  coordinateMedianOfMeans,
  countSketchMean,
  l2Clip,
  laplaceProjectionMechanism,
  latticeMean,
  mechanisms,
  projectionMechanism,
  srhtMean,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { addTo, clip, planted, plantedRun } from './plant.js';
import { ballMean } from '../reference/ball-mean.js';

const source = 'generic';
const kind = 'mean';
type Begin = Parameters<typeof plantedRun>[0];
type Params = { readonly radius: number };

/** Clipped records are passed through `bound` and added up; the mean is as it should be. */
const bounded =
  (bound: (record: Vector, radius: number) => void): Begin =>
  ({ radius }, { dimension, slots }) => {
    const sum = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        const record = gradient.every(Number.isFinite) ? gradient.slice() : new Float64Array(dimension);
        bound(record, radius);
        addTo(sum, record);
      },
      value: () => sum.map((x) => x / slots),
      finish: (noised) => noised,
    };
  };
const withoutRest = (lanes: number): Begin =>
  bounded((record, radius) => {
    record.set(clip(record, radius));
    if (record.length > lanes) record.fill(0, record.length - (record.length % lanes));
  });
/** Medians over other groups. */
const medians = (
  groups: number,
  groupOf: (slot: number, slots: number) => number,
  sizeOf: (group: number, slots: number, came: Float64Array) => number,
): Subject<'mean'> => {
  const begin = ({ limit }: { readonly limit: number }, { dimension, slots }: MeanShape): MeanRun => {
    const sums = Array.from({ length: groups }, () => new Float64Array(dimension));
    const came = new Float64Array(groups);
    return {
      add(slot, gradient) {
        const group = groupOf(slot, slots);
        came[group]++;
        if (gradient.every(Number.isFinite))
          addTo(
            sums[group],
            gradient.map((x) => Math.max(-limit, Math.min(limit, x))),
          );
      },
      value: () =>
        Float64Array.from({ length: dimension }, (_, j) => {
          const means = Float64Array.from(
            sums,
            (sum, group) => sum[j] / sizeOf(group, slots, came),
          ).toSorted();
          return groups % 2 === 1 ? means[groups >> 1] : means[groups / 2 - 1] / 2 + means[groups / 2] / 2;
        }),
      finish: (noised) => noised,
    };
  };
  return subjectsOf(Object.freeze({ ...coordinateMedianOfMeans, begin }) as unknown as CentralMean, {
    registry: mechanisms,
    params: { limit: 1, groups },
  })[0] as Subject<'mean'>;
};
const scaled = (
  sensitivity: ReturnType<CentralMean['sensitivity']>,
  by: number,
): ReturnType<CentralMean['sensitivity']> =>
  Object.fromEntries(
    Object.entries(sensitivity).map(([adjacency, value]) => [adjacency, defined(value) * by]),
  );

export const xMean60 = defineMutant({
  id: 'mean/answer-zero-no-record-came',
  title: 'the answer is zero when no record came',
  kind,
  source,
  killedBy: ['mean/post-processing'],
  within: 200,
  plant: () =>
    plantedRun((params: Params, context, random) => {
      const run = ballMean.begin(params, context, random);
      let came = 0;
      return {
        add(slot, gradient) {
          came++;
          run.add(slot, gradient);
        },
        value: () => run.value(),
        finish: (noised) => (came === 0 ? noised.map(() => 0) : noised),
      };
    }),
});
export const xMean61 = defineMutant({
  id: 'mean/noise-very-small-taken-away-again',
  title: 'noise that is very small is taken away again',
  kind,
  source,
  killedBy: ['mean/post-processing'],
  within: 200,
  plant: () =>
    plantedRun((params: Params, context, random) => {
      const run = ballMean.begin(params, context, random);
      let kept = new Float64Array(0);
      return {
        ...run,
        value() {
          const value = run.value();
          kept = Float64Array.from(value);
          return value;
        },
        finish: (noised) => (noised.every((x, j) => Math.abs(x - kept[j]) < 1e-6) ? kept : noised),
      };
    }),
});
export const xMean62 = defineMutant({
  id: 'mean/sensitivity-slots-rounded-expected-size',
  title: 'the sensitivity is that of slots rounded up, where they are an expected size',
  kind,
  source,
  killedBy: ['mean/sensitivity'],
  within: 6_000,
  plant: () =>
    planted(ballMean, {
      sensitivity: (params, context) =>
        scaled(ballMean.sensitivity(params, context), context.slots / Math.ceil(context.slots)),
    }),
});
export const xMean63 = defineMutant({
  id: 'mean/groups-divided-records-came-fewer-slots',
  title: 'groups are divided by the records that came, of which there are fewer than slots',
  kind,
  source,
  killedBy: ['mean/sensitivity'],
  within: 6_000,
  plant: () =>
    medians(
      3,
      (slot) => slot % 3,
      (group, _slots, came) => Math.max(1, came[group]),
    ),
});
export const xMean64 = defineMutant({
  id: 'mean/consecutive-slots-make-groups-last-takes-left',
  title: 'consecutive slots make groups, and the last takes what is left over and is divided like the others',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 5_000,
  plant: () =>
    medians(
      2,
      (slot, slots) => Math.min(1, Math.floor(slot / Math.floor(slots / 2))),
      (_group, slots) => Math.floor(slots / 2),
    ),
});
export const xMean65 = defineMutant({
  id: 'mean/records-clipped-64-entries-time',
  title: 'records are clipped 64 entries at a time',
  kind,
  source,
  killedBy: ['mean/sensitivity'],
  within: 6_000,
  plant: () =>
    plantedRun(
      bounded((record, radius) => {
        for (let j = 0; j < record.length; j += 64)
          l2Clip.clipInPlace({ radius }, record.subarray(j, j + 64));
      }),
    ),
});
export const xMean66 = defineMutant({
  id: 'mean/sums-taken-four-entries-time-without-rest',
  title: 'sums are taken four entries at a time, without the rest of more than four',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 5_000,
  plant: () => plantedRun(withoutRest(4)),
});
export const xMean67 = defineMutant({
  id: 'mean/sums-taken-sixteen-entries-time-without-rest',
  title: 'sums are taken sixteen entries at a time, without the rest of more than sixteen',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 5_000,
  plant: () => plantedRun(withoutRest(16)),
});
export const xMean68 = defineMutant({
  id: 'mean/whole-numbers-halved-hundred-slots',
  title: 'whole numbers are halved where there are a hundred slots',
  kind,
  source,
  killedBy: ['mean/whole-value'],
  within: 300,
  plant: () =>
    planted(latticeMean, {
      begin(params, context, random) {
        const run = latticeMean.begin(params, context, random);
        const by = context.slots >= 100 ? 2 : 1;
        return {
          ...run,
          value: () => run.value().map((x) => x / by),
          finish: (noised) => run.finish(noised.map((x) => x * by)),
        };
      },
    }),
});
export const xMean69 = defineMutant({
  id: 'mean/seven-entries-sketch-same-every-release',
  title: 'from seven entries on, the sketch is the same in every release',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 12_000,
  plant: () =>
    planted(countSketchMean, {
      begin: (params, context, random) =>
        countSketchMean.begin(
          params,
          context,
          context.dimension < 7 ? random : seededRandom(context.dimension),
        ),
    }),
});
export const xMean70 = defineMutant({
  id: 'mean/five-entries-answer-comes-back-front',
  title: 'from five entries on, the answer comes back to front',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 12_000,
  plant: () =>
    planted(srhtMean, {
      begin(params, context, random) {
        const run = srhtMean.begin(params, context, random);
        return {
          ...run,
          finish: (noised) => (context.dimension < 5 ? run.finish(noised) : run.finish(noised).toReversed()),
        };
      },
    }),
});
export const xMean71 = defineMutant({
  id: 'mean/bias-bound-forgets-projecting-large-noise',
  title: 'the bias bound forgets what projecting large noise does',
  kind,
  source,
  killedBy: ['mean/bias-bound'],
  within: 5_000,
  plant: () =>
    planted(projectionMechanism, {
      biasBound({ radius, sparsity }, context, moment) {
        projectionMechanism.biasBound({ radius, sparsity }, context, moment);
        return l2Clip.biasBound(
          { radius: radius * Math.min(1, Math.sqrt(sparsity / context.dimension)) },
          moment,
        );
      },
    }),
});
export const xMean72 = defineMutant({
  id: 'mean/variance-mean-l1-bounded-l2',
  title: 'the variance of a mean in ℓ1 is bounded in ℓ2',
  kind,
  source,
  killedBy: ['mean/variance-bound'],
  within: 2_000,
  plant: () =>
    planted(laplaceProjectionMechanism, {
      varianceBound: (params, context, moment, noiseVariance) =>
        laplaceProjectionMechanism.varianceBound(params, context, moment, noiseVariance) / context.dimension,
    }),
});
export const xMean73 = defineMutant({
  id: 'mean/less-one-slot-counts-one',
  title: 'less than one slot counts as one',
  kind,
  source,
  killedBy: ['mean/sensitivity'],
  within: 6_000,
  plant: () =>
    planted(ballMean, {
      sensitivity: (params, context) =>
        scaled(ballMean.sensitivity(params, context), Math.min(1, context.slots)),
    }),
});
