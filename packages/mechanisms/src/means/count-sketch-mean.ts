import { defineMean } from '@lethe/core';
import { divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { radiusUpTo } from './checks.js';
import { assertCountSketch, countSketch, fullestBucketUp, mostPlaces } from './count-sketch.js';
import { meanSensitivity, sketchedLinearMean, sketchedMeanRun, sketchedVariance } from './linear-sketch.js';

const size = z.int().min(1).max(mostPlaces);

/**
 * Mean of records clipped in ℓ2, through a {@link countSketch} drawn afresh for each release, with Gaussian
 * noise on the `rows · width` entries of the sketch in place of the `dimension` entries of the mean.
 *
 * The sketch is divided by a bound on its own norm, so that the sensitivity is that of a clipped mean without
 * it, and noise comes back multiplied by that norm: in variance, by the load of the fullest bucket. All that
 * depends on public coins alone.
 *
 * @param params - `radius`: from 1e-280 to 1e250. `rows`, `width`: of
 * the tables, from 1 on; `rows` times width or dimension at most 2²⁷.
 */
export const countSketchMean = defineMean({
  name: 'count-sketch-mean',
  summary: 'Mean of clipped records through a CountSketch with Gaussian noise.',
  source: { id: 'charikar-chen-farach-colton-2002', item: 'CountSketch' },
  params: z.strictObject({ radius: radiusUpTo(1e250), rows: size, width: size }),
  examples: [
    { radius: 1, rows: 2, width: 2 },
    { radius: 3, rows: 1, width: 3 },
  ],
  claims: [
    {
      property: 'sensitivity',
      statement: 'radius/slots; twice that under replace-one; by the norm of the sketch that was drawn',
    },
    { property: 'permutation-invariant', statement: 'a sum, up to rounding' },
    { property: 'unbiased', statement: 'inside the ball' },
    { property: 'bias-bound', statement: 'that of the clip' },
    {
      property: 'variance-bound',
      statement:
        'second moment · max((1 + b)/slots, b) with b = (dimension − 1)/(rows · width), ' +
        'and dimension · mean load of the fullest bucket · noise',
    },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity({ radius, rows, width }, { dimension, slots }) {
    assertCountSketch(dimension, { rows, width });
    return meanSensitivity(radius, slots);
  },
  linear: ({ radius, rows, width }, { dimension }) =>
    sketchedLinearMean(radius, (random) => countSketch(random.fork('matrix'), dimension, { rows, width })),
  begin: ({ radius, rows, width }, shape, random) =>
    sketchedMeanRun(radius, shape, countSketch(random.fork('matrix'), shape.dimension, { rows, width })),
  scaled: ({ radius, ...sketch }, factor) => ({ radius: radius * factor, ...sketch }),
  event: (_params, noise) => noise,
  biasBound({ radius }, { slots }, moment) {
    assertPublicSlots(slots);
    return l2Clip.biasBound({ radius }, moment);
  },
  varianceBound({ radius, rows, width }, { dimension, slots }, moment, noiseVariance) {
    const gain = multiplyUp(dimension, fullestBucketUp(dimension, width));
    const excess = divideUp(dimension - 1, rows * width);
    return sketchedVariance(l2Clip.varianceBound({ radius }, moment), slots, excess, {
      gain,
      variance: noiseVariance,
    });
  },
});
