import { addUp, defineMeanOracle, divideUp, multiplyUp, sqrtUp, type MeanOracle, type RandomSource, type Vector } from '@lethe/core';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';
import { meanRun, meanSensitivity, source } from './oracle.ts';

const params = z.strictObject({ limit: z.number().positive(), levels: z.number().int().positive() });

/** Rounds to a whole number, up with the probability of the fraction: right on average. */
export const rounded = (x: number, random: RandomSource): number => { const low = Math.floor(x); return low + (random.uniform() < x - low ? 1 : 0); };

/** Coordinates clamped to `[−limit, limit]` and rounded at random to multiples of `limit / levels`, with `round` doing the rounding. */
export const roundedMeanDefinition = (round: typeof rounded): Omit<MeanOracle<typeof params>, 'kind'> => ({
  name: 'rounded-mean', summary: 'Mean of clamped, stochastically rounded records with Gaussian noise.', source, params, examples: [{ limit: 1, levels: 4 }],
  claims: [
    { property: 'sensitivity', statement: '√d·limit/slots; twice that under replace-one' }, { property: 'sensitivity-attained', statement: 'at corners' },
    { property: 'unbiased', statement: 'inside the cube' }, { property: 'bias-bound', statement: 'that of the ball inside the cube' }, { property: 'variance-bound', statement: '(second moment + d·step²/4)/slots, and the noise' },
  ],
  mechanism: gaussian({}), norm: 'l2',
  sensitivity: ({ limit }, context) => meanSensitivity(multiplyUp(sqrtUp(context.dimension), limit), context),
  begin({ limit, levels }, context) {
    const coins = context.random.fork('rounding');
    return {
      ...meanRun(context, context.dimension, (record: Vector) => record.map((x) => round((Math.max(-limit, Math.min(limit, x)) / limit) * levels, coins) * (limit / levels))),
      finish: (noised) => noised,
    };
  },
  event: (_params, noise) => noise,
  biasBound: ({ limit }, _context, moment) => l2Clip.biasBound({ radius: limit }, moment),
  varianceBound({ limit, levels }, { dimension, slots }, moment, noiseVariance) {
    if (!(noiseVariance >= 0)) return l2Clip.varianceBound({ radius: 1 }, { order: 2, value: NaN });
    const second = l2Clip.varianceBound({ radius: multiplyUp(sqrtUp(dimension), limit) }, moment), step = limit / levels;
    return addUp(multiplyUp(dimension, noiseVariance), divideUp(addUp(second, (dimension * step * step) / 4), slots));
  },
});

export const roundedMean = defineMeanOracle(roundedMeanDefinition(rounded));
