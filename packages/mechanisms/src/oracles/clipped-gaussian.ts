import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import { defineMeanOracle } from '@lethe/core';
import { z } from 'zod';
import { gaussian } from '../noise/gaussian.js';
import { l2Clip } from '../clips/l2-clip.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { assertDimension, assertLength, assertNoiseVariance, radiusUpTo } from './checks.js';

/**
 * Clip each record to the ℓ2 ball, average over the slots, add Gaussian noise.
 *
 * Sensitivity of the mean: `radius / slots` when a record becomes null, twice that when it is replaced. Under add-remove `slots` must
 * be a public normaliser (a guess of n, or the expected size of a draw), never the realised count; then it is `radius / slots` too.
 * Slots for which `add` is never called count as zero.
 *
 * The bounds are those of independent records with the given moment; `radius` is at most 1e280 so that no sum overflows, and at least 1e-280 so that
 * none is rounded coarsely.
 */
export const clippedGaussian = defineMeanOracle({
  name: 'clipped-gaussian',
  summary: 'Mean of clipped records with Gaussian noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 1' },
  params: z.strictObject({ radius: radiusUpTo(1e280) }),
  examples: [{ radius: 1 }, { radius: 0.25 }],
  claims: [
    { property: 'sensitivity', statement: '2·radius/slots under replace-one, radius/slots under zero-out and add-remove' },
    { property: 'sensitivity-attained', statement: 'by opposite records outside the ball, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    { property: 'bias-bound', statement: 'that of the clip, whatever the number of slots', source: { id: 'lowy-razaviyayn', item: 'Lemma 6' } },
    { property: 'variance-bound', statement: 'dimension · noise variance + E‖clip(z) − E clip(z)‖² / slots', source: { id: 'lowy-razaviyayn', item: 'Lemma 6' } },
  ],
  mechanism: gaussian({}),
  norm: 'l2',
  sensitivity({ radius }, { slots }) {
    assertPublicSlots(slots);
    const one = divideUp(radius, slots);
    return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
  },
  begin({ radius }, { dimension, slots }) {
    assertDimension(dimension);
    assertPublicSlots(slots);
    const sum = new Float64Array(dimension);
    const record = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        assertLength(gradient, dimension);
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
    assertPublicSlots(context.slots);
    return l2Clip.biasBound({ radius }, moment);
  },
  varianceBound({ radius }, { dimension, slots }, moment, noiseVariance) {
    assertPublicSlots(slots);
    assertNoiseVariance(noiseVariance);
    return addUp(multiplyUp(dimension, noiseVariance), divideUp(l2Clip.varianceBound({ radius }, moment), slots));
  },
});
