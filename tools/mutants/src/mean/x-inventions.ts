import { gaussianEvent } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { boxMeanDefinition } from '../reference/box-mean.js';
import { addTo, clip, ofAll, planted, plantedRun, riggedCountSketch, sumOf } from './plant.js';
import { ballMean } from '../reference/ball-mean.js';

const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

export const xMean1 = defineMutant({
  id: 'mean/finish-makes-clipping-fraction-records-clipped',
  title: 'finish makes up for clipping by the fraction of records that were clipped',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/post-processing'],
  within: 50,
  plant: () =>
    plantedRun((params, context, random) => {
      const run = ballMean.begin(params, context, random);
      let clipped = 0;
      return {
        add(slot, gradient) {
          if (norm(gradient) > params.radius) clipped++;
          run.add(slot, gradient);
        },
        value: () => run.value(),
        finish: (noised) => noised.map((x) => x * (1 + clipped / context.slots)),
      };
    }),
});

export const xMean2 = defineMutant({
  id: 'mean/lent-vectors-kept-clipped-later',
  title: 'lent vectors are kept and clipped later',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/lent-vectors'],
  within: 20,
  plant: () =>
    plantedRun(({ radius }, { dimension, slots }) => {
      const kept: Float64Array[] = [];
      return {
        add: (_slot, gradient) => {
          kept.push(gradient);
        },
        value: () =>
          sumOf(
            kept.map((z) => clip(z, radius)),
            dimension,
          ).map((x) => x / slots),
        finish: (noised) => noised,
      };
    }),
});

export const xMean3 = defineMutant({
  id: 'mean/event-claims-twice-noise-slots-secret',
  title: 'the event claims twice the noise, as if the slots were secret',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/event'],
  within: 50,
  plant: () =>
    planted(ballMean, {
      event: (_params, noise) =>
        noise.kind === 'core/gaussian'
          ? gaussianEvent(
              2 * (noise as unknown as { sigma: number }).sigma,
              (noise as unknown as { sensitivity: object }).sensitivity,
            )
          : noise,
    }),
});

export const xMean4 = defineMutant({
  id: 'mean/sum-one-buffer-all-releases-emptied-release',
  title: 'the sum is one buffer for all releases, emptied when a release begins',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/coins-alone'],
  within: 20,
  plant: () => {
    const shared = new Float64Array(64);
    return plantedRun(({ radius }, { dimension, slots }) => {
      shared.fill(0);
      return {
        add: (_slot, gradient) => addTo(shared, clip(gradient, radius)),
        value: () => shared.slice(0, dimension).map((x) => x / slots),
        finish: (noised) => noised,
      };
    });
  },
});

export const xMean5 = defineMutant({
  id: 'mean/variance-noise-divided-slots-once-more',
  title: 'the variance of the noise is divided by the slots once more',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/variance-bound'],
  within: 500,
  plant: () =>
    planted(ballMean, {
      varianceBound: (params, context, moment, noise) =>
        ballMean.varianceBound(params, context, moment, noise / context.slots),
    }),
});

export const xMean6 = defineMutant({
  id: 'mean/bias-clipping-divided-slots-averaged-out',
  title: 'the bias of clipping is divided by the slots, as if it averaged out',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound'],
  within: 500,
  plant: () =>
    planted(ballMean, {
      biasBound: (params, context, moment) => ballMean.biasBound(params, context, moment) / context.slots,
    }),
});

export const xMean7 = defineMutant({
  id: 'mean/null-records-not-count-divisor',
  title: 'null records do not count in the divisor',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 1_000,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension }, radius) =>
        sumOf(
          records.map((z) => clip(z, radius)),
          dimension,
        ).map((x) => x / Math.max(1, records.filter((z) => norm(z) > 0).length)),
      ),
    ),
});

export const xMean8 = defineMutant({
  id: 'mean/countsketch-one-sign-all-coordinates-row-collisions',
  title: 'a CountSketch with one sign for all coordinates of a row: collisions add up',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/unbiased'],
  within: 2_000,
  plant: () => riggedCountSketch((k, dimension) => k - (k % dimension)),
});

export const xMean9 = defineMutant({
  id: 'mean/box-declares-norm-one-coordinate-all',
  title: 'a box that declares the norm of one coordinate for all',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    planted(boxMeanDefinition, {
      sensitivity: (params, shape) => boxMeanDefinition.sensitivity(params, { ...shape, dimension: 1 }),
    }),
});

export const xMean10 = defineMutant({
  id: 'mean/trailing-zeros-sum-not-sent-length-value',
  title: 'trailing zeros of the sum are not sent: the length of the value tells of the records',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/post-processing', 'mean/sensitivity'],
  within: 500,
  plant: () =>
    plantedRun((params, context, random) => {
      const run = ballMean.begin(params, context, random);
      return {
        add: (slot, gradient) => run.add(slot, gradient),
        value: () => {
          const value = run.value();
          return value.subarray(0, 1 + value.findLastIndex((x) => x !== 0));
        },
        finish: (noised) => {
          const answer = new Float64Array(context.dimension);
          answer.set(noised);
          return answer;
        },
      };
    }),
});
