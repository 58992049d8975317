import { addUp, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { type ShuffleContext } from '@lethe/core';
import * as z from 'zod';
import { l2Clip } from '../clips/l2-clip.js';
import { l2BallDomain } from '../domains/l2-ball.js';
import { lowyRazaviyayn } from '../sources.js';
import { noiseBitsPerUser, noiseBitsNeeded, shareOf } from './binomial-noise.js';
import { addBits, defineCountedSum, type Bits } from './counted-sum.js';
import { roundAtRandom } from './exact-bits.js';
import { crowdLevels, levelsSchema, scaledVariance } from './levels.js';
import { targetOf } from './shuffle-context.js';

/**
 * Sum of vectors clipped to the ℓ2 ball, one shuffled count for each coordinate, as in
 * {@link shuffledScalarSum} on `[−radius, radius]`: Algorithm 11. Divided by the users it is Algorithm 10,
 * the mean of clipped records; its bias is that of the clip.
 *
 * Clipping is part of it, because the guarantee is for every record. Half of all bits are ones at records
 * that are zero, so that the estimate is `radius/levels · (ones − zeros)` in each coordinate: the re-centring
 * by `users · radius` and the mean of the fair bits at once.
 *
 * @param params - `radius`: positive. `levels`: bits for each coordinate, from 2 on; left out,
 * `⌈max(2√dimension, √users)⌉` and at least 4. Below `2√dimension` rounding alone costs as much privacy as
 * the record itself.
 */
export const shuffledVectorSum = defineCountedSum(
  {
    name: 'shuffled-vector-sum',
    summary: 'Sum of clipped vectors from shuffled bits and fair noise bits.',
    source: lowyRazaviyayn('Algorithms 10 and 11'),
    params: z.strictObject({ radius: z.number().min(1e-150).max(1e150), levels: levelsSchema }),
    examples: [{ radius: 1, levels: 4 }, { radius: 0.25 }],
    claims: [
      {
        property: 'event',
        statement: '(ε, δ) among the honest users, for ε up to 15',
        source: lowyRazaviyayn('Lemmas 49 and 50'),
      },
      { property: 'counts', statement: 'the same of how often one message comes' },
      { property: 'messages', statement: 'levels and fair bits for each coordinate, whatever the vector' },
      { property: 'unbiased', statement: 'for vectors in the ball', source: lowyRazaviyayn('Lemma 49') },
      {
        property: 'variance-bound',
        statement:
          'dimension · (2 radius/levels)² · users · (1 + noise bits)/4, attained half-way between levels',
        source: lowyRazaviyayn('Lemma 49'),
      },
    ],
    domain: ({ radius }) => l2BallDomain({ radius }),
    scaled: ({ radius, levels }, factor) => ({
      radius: radius * factor,
      ...(levels === undefined ? {} : { levels }),
    }),
    biasBound: ({ radius }, moment) => l2Clip.biasBound({ radius }, moment),
    recordVarianceBound: ({ radius }, moment) => l2Clip.varianceBound({ radius }, moment),
    varianceBound: ({ radius, levels }, context) =>
      multiplyUp(context.dimension, scaledVariance(2 * radius, bitsOf(levels, context), context)),
  },
  {
    bits: ({ levels }, context) => bitsOf(levels, context),
    addRecord({ radius }, { levels }, record, random, counts) {
      const clipped = record.slice();
      l2Clip.clipInPlace({ radius }, clipped);
      for (let j = 0; j < clipped.length; j++)
        addBits(counts, j, levels, roundAtRandom(random, (1 + clipped[j] / radius) * (levels / 2)));
    },
    estimate: ({ radius }, { levels }, _context, { ones, zeros }) =>
      ones.map((count, j) => (radius / levels) * (count - zeros[j])),
  },
);

/**
 * Over coordinates, `2/levels + |change|/(2 radius)` adds up
 * to `2d/levels + √d`; in squares to `(2√d/levels + 1)²`.
 */
function bitsOf(given: number | undefined, context: ShuffleContext): Bits {
  const target = targetOf(context);
  const { dimension, users, honestUsers } = context;
  const levels = given ?? crowdLevels(users, 2 * Math.sqrt(dimension));
  const root = sqrtUp(dimension);
  const roundings = 1 + (dimension + 16) * 2 ** -48;
  const share = shareOf(
    target,
    {
      counts: dimension,
      sum: multiplyUp(roundings, addUp(divideUp(2 * dimension, levels), root)),
      root: multiplyUp(roundings, addUp(divideUp(multiplyUp(2, root), levels), 1)),
    },
    levels,
  );
  const noiseBits = noiseBitsPerUser(noiseBitsNeeded(levels, share), honestUsers, dimension);
  return { bins: dimension, levels, dataBits: levels * dimension, noiseBits };
}
