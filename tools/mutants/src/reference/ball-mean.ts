import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import { defineMean, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { gaussian, l2Clip } from '@lethe/mechanisms';

/** Clip each record to the ℓ2 ball, average over the slots, add Gaussian noise: all of it by its own code. */
export const ballMean = defineMean({
  name: 'ball-mean',
  summary: 'Mean of clipped records with Gaussian noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 1' },
  params: z.strictObject({ radius: z.number().min(1e-280).max(1e280) }),
  examples: [{ radius: 1 }, { radius: 0.25 }],
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots under replace-one, radius/slots under zero-out and add-remove',
    },
    { property: 'sensitivity-attained', statement: 'by opposite records outside the ball, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'bias-bound',
      statement: 'that of the clip, whatever the number of slots',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6' },
    },
    {
      property: 'variance-bound',
      statement: 'dimension · noise variance + E‖clip(z) − E clip(z)‖² / slots',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6' },
    },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity({ radius }, { slots }) {
    const one = divideUp(radius, slots);
    return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
  },
  begin({ radius }, { dimension, slots }) {
    const sum = new Float64Array(dimension);
    const record = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        record.set(gradient);
        l2Clip.clipInPlace({ radius }, record);
        for (let j = 0; j < dimension; j++) sum[j] += record[j];
      },
      value: () => sum.map((total) => total / slots),
      finish: (noised) => noised,
    };
  },
  event: (_params, noise) => noise,
  biasBound({ radius }, context, moment) {
    return l2Clip.biasBound({ radius }, moment);
  },
  varianceBound({ radius }, { dimension, slots }, moment, noiseVariance) {
    if (!(noiseVariance >= 0))
      throw new InvalidParameter(`a noise variance of ${noiseVariance} was given`, {});
    return addUp(
      multiplyUp(dimension, noiseVariance),
      divideUp(l2Clip.varianceBound({ radius }, moment), slots),
    );
  },
});
