import { defineMean } from '@lethe/core';
import { divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { radiusUpTo } from './checks.js';
import { meanSensitivity, sketchedLinearMean, sketchedMeanRun, sketchedVariance } from './linear-sketch.js';
import { assertSrht, paddedLength, srht } from './srht.js';

/**
 * Mean of records clipped in ℓ2, through an {@link srht} drawn afresh
 * for each release, with Gaussian noise on its `rows` entries.
 *
 * The rows are orthogonal, so that the sketch over its norm lengthens nothing and the sensitivity is that of
 * a clipped mean without it; noise comes back `n/rows` times in each coordinate, in variance, `n` the
 * dimension padded to a power of two.
 *
 * @param params - `radius`: from 1e-280 to 1e250. `rows`: from 1
 * to the padded dimension, which is refused beyond.
 */
export const srhtMean = defineMean({
  name: 'srht-mean',
  summary: 'Mean of clipped records through a subsampled randomised Hadamard transform with Gaussian noise.',
  source: { id: 'ailon-chazelle-2006', item: 'Section 2' },
  params: z.strictObject({
    radius: radiusUpTo(1e250),
    rows: z
      .int()
      .min(1)
      .max(2 ** 30),
  }),
  examples: [
    { radius: 1, rows: 2 },
    { radius: 0.5, rows: 1 },
  ],
  claims: [
    {
      property: 'sensitivity',
      statement: 'radius/slots; twice that under replace-one: the sketch over its norm lengthens nothing',
    },
    { property: 'permutation-invariant', statement: 'a sum, up to rounding' },
    { property: 'unbiased', statement: 'inside the ball' },
    { property: 'bias-bound', statement: 'that of the clip' },
    {
      property: 'variance-bound',
      statement:
        'second moment · max((1 + b)/slots, b) with b = (dimension − 1)(n − rows)/(rows (n − 1)), ' +
        'and dimension · n/rows · noise',
    },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity({ radius, rows }, { dimension, slots }) {
    assertSrht(dimension, rows);
    return meanSensitivity(radius, slots);
  },
  linear: ({ radius, rows }, { dimension }) =>
    sketchedLinearMean(radius, (random) => srht(random.fork('matrix'), dimension, rows)),
  begin: ({ radius, rows }, shape, random) =>
    sketchedMeanRun(radius, shape, srht(random.fork('matrix'), shape.dimension, rows)),
  scaled: ({ radius, ...sketch }, factor) => ({ radius: radius * factor, ...sketch }),
  event: (_params, noise) => noise,
  biasBound({ radius }, { slots }, moment) {
    assertPublicSlots(slots);
    return l2Clip.biasBound({ radius }, moment);
  },
  varianceBound({ radius, rows }, { dimension, slots }, moment, noiseVariance) {
    assertSrht(dimension, rows);
    const n = paddedLength(dimension);
    const excess = n === 1 ? 0 : divideUp(multiplyUp(dimension - 1, n - rows), rows * (n - 1));
    return sketchedVariance(l2Clip.varianceBound({ radius }, moment), slots, excess, {
      gain: multiplyUp(dimension, divideUp(n, rows)),
      variance: noiseVariance,
    });
  },
});
