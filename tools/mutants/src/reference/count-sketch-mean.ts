import { addUp, defineMeanOracle, divideUp, multiplyUp, sqrtUp, type MeanOracle, type RandomSource, type Vector } from '@lethe/core';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';
import { meanRun, meanSensitivity, source } from './oracle.ts';

const params = z.strictObject({ radius: z.number().positive(), rows: z.number().int().positive(), width: z.number().int().positive() });

/** Where every coordinate goes in every row, and with which sign. */
export interface Hashes { readonly buckets: readonly Uint32Array[]; readonly signs: readonly Float64Array[] }
export type Hashing = (random: RandomSource, dimension: number, rows: number, width: number) => Hashes;

const sign = (random: RandomSource): number => 2 * random.integer(2) - 1;

/** Buckets and signs of every coordinate in every row, all independent. */
export const independentHashes: Hashing = (random, dimension, rows, width) => ({
  buckets: Array.from({ length: rows }, () => Uint32Array.from({ length: dimension }, () => random.integer(width))),
  signs: Array.from({ length: rows }, () => Float64Array.from({ length: dimension }, () => sign(random))),
});

/** One sign for a coordinate in all rows. */
export const oneSignForAllRows: Hashing = (random, dimension, rows, width) => {
  const shared = Float64Array.from({ length: dimension }, () => sign(random));
  return { buckets: independentHashes(random.fork('buckets'), dimension, rows, width).buckets, signs: Array.from({ length: rows }, () => shared) };
};

/** One sign for all coordinates of a row. */
export const oneSignForAllCoordinates: Hashing = (random, dimension, rows, width) => ({
  buckets: independentHashes(random.fork('buckets'), dimension, rows, width).buckets,
  signs: Array.from({ length: rows }, () => new Float64Array(dimension).fill(sign(random))),
});

/**
 * Records clipped in ℓ2 and sketched by `S`, of `rows` hash tables of `width` buckets, over √rows; the answer is `Sᵀ` of the noised mean.
 * A sketch stretches by at most √dimension, when all coordinates meet in one bucket. `E SᵀS = I`, and the variance of `SᵀSz` is
 * `(dimension − 1)/(rows·width)·‖z‖²`.
 */
export const countSketchMeanDefinition = (hashing: Hashing): Omit<MeanOracle<typeof params>, 'kind'> => ({
  name: 'count-sketch-mean', summary: 'Mean of clipped records through a CountSketch with Gaussian noise.', source, params, examples: [{ radius: 1, rows: 2, width: 2 }],
  claims: [
    { property: 'sensitivity', statement: '√d·radius/slots; twice that under replace-one' }, { property: 'permutation-invariant', statement: 'a sum' }, { property: 'unbiased', statement: 'inside the ball' },
    { property: 'bias-bound', statement: 'that of the clip' }, { property: 'variance-bound', statement: 'second moment · max((1 + b)/slots, b) with b = (d − 1)/(rows·width), and d · noise; attained by opposite points' },
  ],
  mechanism: gaussian({}), norm: 'l2',
  sensitivity: ({ radius }, context) => meanSensitivity(multiplyUp(sqrtUp(context.dimension), radius), context),
  begin({ radius, rows, width }, context) {
    const { buckets, signs } = hashing(context.random.fork('matrix'), context.dimension, rows, width), unit = 1 / Math.sqrt(rows);
    const sketch = (record: Vector): Vector => {
      const out = new Float64Array(rows * width);
      for (let r = 0; r < rows; r++) for (let j = 0; j < record.length; j++) out[r * width + buckets[r][j]] += unit * signs[r][j] * record[j];
      return out;
    };
    return {
      ...meanRun(context, rows * width, (record) => { l2Clip.clipInPlace({ radius }, record); return sketch(record); }),
      finish: (noised) => Float64Array.from({ length: context.dimension }, (_, j) => {
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += unit * signs[r][j] * noised[r * width + buckets[r][j]];
        return sum;
      }),
    };
  },
  event: (_params, noise) => noise,
  biasBound: ({ radius }, _context, moment) => l2Clip.biasBound({ radius }, moment),
  varianceBound({ radius, rows, width }, { dimension, slots }, moment, noiseVariance) {
    if (!(noiseVariance >= 0)) return l2Clip.varianceBound({ radius: 1 }, { order: 2, value: NaN });
    const collisions = divideUp(dimension - 1, rows * width), spread = Math.max(divideUp(addUp(1, collisions), slots), collisions);
    return addUp(multiplyUp(dimension, noiseVariance), multiplyUp(l2Clip.varianceBound({ radius }, moment), spread));
  },
});

export const countSketchMean = defineMeanOracle(countSketchMeanDefinition(independentHashes));
