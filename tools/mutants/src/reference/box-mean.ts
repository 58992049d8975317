import { addUp, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { defineMean, type CentralMean, type Vector } from '@lethe/core';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import * as z from 'zod';
import { meanRun, meanSensitivity, source } from './mean.js';

const params = z.strictObject({ lower: z.number().negative(), upper: z.number().positive() });

/** Coordinates clamped to `[lower, upper]`, 0 inside; the interval need not be symmetric. */
export const boxMeanDefinition: Omit<CentralMean<typeof params>, 'kind'> = {
  name: 'box-mean',
  summary: 'Mean of clamped records with Gaussian noise.',
  source,
  params,
  examples: [{ lower: -1, upper: 3 }],
  claims: [
    {
      property: 'sensitivity',
      statement: '√d·(upper − lower)/slots under replace-one, √d·max(|lower|, upper)/slots otherwise',
    },
    { property: 'sensitivity-attained', statement: 'at corners' },
    { property: 'permutation-invariant', statement: 'a sum' },
    { property: 'bias-bound', statement: 'the bias bound of the largest ball inside' },
    { property: 'variance-bound', statement: 'second moment / slots, and the noise' },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussian({}),
  norm: () => 'l2',
  sensitivity({ lower, upper }, { dimension, slots }) {
    const root = sqrtUp(dimension);
    return {
      ...meanSensitivity(multiplyUp(root, Math.max(-lower, upper)), { dimension, slots }),
      'replace-one': divideUp(multiplyUp(root, addUp(upper, -lower)), slots),
    };
  },
  begin: ({ lower, upper }, context) => ({
    ...meanRun(context, context.dimension, (record: Vector) =>
      record.map((x) => Math.max(lower, Math.min(upper, x))),
    ),
    finish: (noised) => noised,
  }),
  event: (_params, noise) => noise,
  biasBound: ({ lower, upper }, _context, moment) =>
    l2Clip.biasBound({ radius: Math.min(-lower, upper) }, moment),
  varianceBound({ lower, upper }, { dimension, slots }, moment, noiseVariance) {
    if (!(noiseVariance >= 0)) return l2Clip.varianceBound({ radius: 1 }, { order: 2, value: NaN });
    const radius = multiplyUp(sqrtUp(dimension), Math.max(-lower, upper));
    return addUp(
      multiplyUp(dimension, noiseVariance),
      divideUp(l2Clip.varianceBound({ radius }, moment), slots),
    );
  },
};

export const boxMean = defineMean(boxMeanDefinition);
