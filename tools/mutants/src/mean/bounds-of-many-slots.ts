import { certifiedMean, clippedMean, countSketchMean } from '@lethe/mechanisms';
import type { CentralMean, Sensitivity } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

const clippedWith = (bug: Partial<typeof clippedMean>) => () => planted(clippedMean as CentralMean, bug);
const halved = (sensitivity: Sensitivity): Sensitivity =>
  Object.fromEntries(Object.entries(sensitivity).map(([adjacency, size = 0]) => [adjacency, size / 2]));

export const hiddenIsOneSided = defineMutant({
  id: 'mean/replaced-record-counts-once-in-hidden-sizes',
  title: 'in batches of hidden size a replaced record counts like one that leaves',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/hidden-size'],
  within: 200,
  plant: clippedWith({
    sensitivity(params, shape) {
      const { 'add-remove': one, ...rest } = clippedMean.sensitivity(params, shape);
      return shape.size === 'hidden'
        ? { ...rest, 'add-remove': one, 'replace-one': one }
        : { ...rest, 'add-remove': one };
    },
  }),
});

export const noiseOfTenEntries = defineMutant({
  id: 'mean/variance-bound-counts-ten-entries-at-most',
  title: 'the variance bound counts the noise of ten entries at most',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/variance-bound'],
  within: 20_000,
  plant: clippedWith({
    varianceBound: (params, shape, moment, noise) =>
      clippedMean.varianceBound(
        params,
        { ...shape, dimension: Math.min(10, shape.dimension) },
        moment,
        noise,
      ),
  }),
});

export const biasOfManySlots = defineMutant({
  id: 'mean/bias-bound-halved-above-500-slots',
  title: 'above 500 slots the bias bound is half of what it was',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound'],
  within: 60_000,
  plant: clippedWith({
    biasBound: (params, shape, moment) =>
      clippedMean.biasBound(params, shape, moment) / (shape.slots > 500 ? 2 : 1),
  }),
});

export const weightsForgotten = defineMutant({
  id: 'mean/certified-sensitivity-forgets-weights',
  title: 'the sensitivity of certified means is that of a single gradient, whatever the weights are',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/weight'],
  within: 100,
  plant: () =>
    planted(certifiedMean as CentralMean, {
      sensitivity: (params, shape) => certifiedMean.sensitivity(params as never, { ...shape, weight: 1 }),
    }),
});

export const wideSketchHalved = defineMutant({
  id: 'mean/count-sketch-sensitivity-halved-above-200-entries',
  title: 'above 200 entries the sensitivity of a sketched mean is halved',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 4000,
  plant: () =>
    planted(countSketchMean as CentralMean, {
      sensitivity(params, shape) {
        const whole = countSketchMean.sensitivity(params as never, shape);
        return shape.dimension > 200 ? halved(whole) : whole;
      },
    }),
});
