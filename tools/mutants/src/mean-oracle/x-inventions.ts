import { gaussianEvent } from '@lethe/core';
import { clippedGaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { boxMeanDefinition } from '../reference/box-mean.js';
import { addTo, clip, ofAll, planted, plantedRun, riggedCountSketch, sumOf } from './plant.js';

const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

export const xMeanOracle1 = defineMutant({
  id: 'mean-oracle/finish-makes-clipping-fraction-records-clipped', title: 'finish makes up for clipping by the fraction of records that were clipped', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/post-processing'], within: 50,
  plant: () => plantedRun((params, context) => {
    const run = clippedGaussian.begin(params, context);
    let clipped = 0;
    return {
      add(slot, gradient) { if (norm(gradient) > params.radius) clipped++; run.add(slot, gradient); },
      value: () => run.value(),
      finish: (noised) => noised.map((x) => x * (1 + clipped / context.slots)),
    };
  }),
});

export const xMeanOracle2 = defineMutant({
  id: 'mean-oracle/lent-vectors-kept-clipped-later', title: 'lent vectors are kept and clipped later', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/lent-vectors'], within: 20,
  plant: () => plantedRun(({ radius }, { dimension, slots }) => {
    const kept: Float64Array[] = [];
    return { add: (_slot, gradient) => { kept.push(gradient); }, value: () => sumOf(kept.map((z) => clip(z, radius)), dimension).map((x) => x / slots), finish: (noised) => noised };
  }),
});

export const xMeanOracle3 = defineMutant({
  id: 'mean-oracle/event-claims-twice-noise-slots-secret', title: 'the event claims twice the noise, as if the slots were secret', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/event'], within: 50,
  plant: () => planted(clippedGaussian, { event: (_params, noise) => (noise.kind === 'core/gaussian' ? gaussianEvent(2 * (noise as unknown as { sigma: number }).sigma, (noise as unknown as { sensitivity: object }).sensitivity) : noise) }),
});

export const xMeanOracle4 = defineMutant({
  id: 'mean-oracle/sum-one-buffer-all-releases-emptied-release', title: 'the sum is one buffer for all releases, emptied when a release begins', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/coins-alone'], within: 20,
  plant: () => {
    const shared = new Float64Array(64);
    return plantedRun(({ radius }, { dimension, slots }) => {
      shared.fill(0);
      return { add: (_slot, gradient) => addTo(shared, clip(gradient, radius)), value: () => shared.slice(0, dimension).map((x) => x / slots), finish: (noised) => noised };
    });
  },
});

export const xMeanOracle5 = defineMutant({
  id: 'mean-oracle/variance-noise-divided-slots-once-more', title: 'the variance of the noise is divided by the slots once more', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/variance-bound'], within: 500,
  plant: () => planted(clippedGaussian, { varianceBound: (params, context, moment, noise) => clippedGaussian.varianceBound(params, context, moment, noise / context.slots) }),
});

export const xMeanOracle6 = defineMutant({
  id: 'mean-oracle/bias-clipping-divided-slots-averaged-out', title: 'the bias of clipping is divided by the slots, as if it averaged out', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/bias-bound'], within: 500,
  plant: () => planted(clippedGaussian, { biasBound: (params, context, moment) => clippedGaussian.biasBound(params, context, moment) / context.slots }),
});

export const xMeanOracle7 = defineMutant({
  id: 'mean-oracle/null-records-not-count-divisor', title: 'null records do not count in the divisor', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/sensitivity'], within: 1_000,
  plant: () => plantedRun(ofAll((records, { dimension }, radius) => sumOf(records.map((z) => clip(z, radius)), dimension).map((x) => x / Math.max(1, records.filter((z) => norm(z) > 0).length)))),
});

export const xMeanOracle8 = defineMutant({
  id: 'mean-oracle/countsketch-one-sign-all-coordinates-row-collisions', title: 'a CountSketch with one sign for all coordinates of a row: collisions add up', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/unbiased'], within: 2_000,
  plant: () => riggedCountSketch((k, dimension) => k - (k % dimension)),
});

export const xMeanOracle9 = defineMutant({
  id: 'mean-oracle/box-declares-norm-one-coordinate-all', title: 'a box that declares the norm of one coordinate for all', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/sensitivity'], within: 2_000,
  plant: () => planted(boxMeanDefinition, { sensitivity: (params, { slots }) => boxMeanDefinition.sensitivity(params, { dimension: 1, slots }) }),
});

export const xMeanOracle10 = defineMutant({
  id: 'mean-oracle/trailing-zeros-sum-not-sent-length-value', title: 'trailing zeros of the sum are not sent: the length of the value tells of the records', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/post-processing', 'meanOracle/sensitivity'], within: 500,
  plant: () => plantedRun((params, context) => {
    const run = clippedGaussian.begin(params, context);
    return {
      add: (slot, gradient) => run.add(slot, gradient),
      value: () => { const value = run.value(); return value.subarray(0, 1 + value.findLastIndex((x) => x !== 0)); },
      finish: (noised) => { const answer = new Float64Array(context.dimension); answer.set(noised); return answer; },
    };
  }),
});
