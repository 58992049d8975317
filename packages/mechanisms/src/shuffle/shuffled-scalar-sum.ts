import { multiplyUp, subtractUp } from '@lethe/numerics';
import { Unsupported, type ShuffleContext } from '@lethe/core';
import * as z from 'zod';
import { boxDomain } from '../domains/box.js';
import { noiseBitsPerUser, noiseBitsNeeded, shareOf } from './binomial-noise.js';
import { addBits, defineCountedSum, type Bits } from './counted-sum.js';
import { crowdLevels, levelsSchema, scaledVariance } from './levels.js';
import { roundAtRandom } from './exact-bits.js';
import { targetOf } from './shuffle-context.js';

const finite = z.number().min(-1e150).max(1e150);

/**
 * Sum of numbers in an interval, from bits that are counted. A number becomes `levels` bits, as many ones
 * among them as its place in the interval says, rounded at random; fair bits are added; the count of ones,
 * less what the fair bits give on average, estimates the sum.
 *
 * Numbers outside are moved onto the ends, an entry that is not finite counts as 0. Where all users are
 * honest and ε is at most the levels, the variance is at most
 * `(upper − lower)² · (45 ln(2/δ)(1 + 2/levels)²/ε² + users/(2 levels²))`, whatever the numbers: the last
 * term is rounding, of numbers to levels and of each user's fair bits to a whole number.
 *
 * @param params - `lower`, `upper`: the interval, 0 in it. `levels`: bits for each number, from 2 on; left
 * out, `⌈√users⌉` and at least 4. Messages grow with the square of the levels, and fewer of them cost no
 * privacy, but add the last term of the variance.
 */
export const shuffledScalarSum = defineCountedSum(
  {
    name: 'shuffled-scalar-sum',
    summary: 'Sum of numbers in an interval from shuffled bits and fair noise bits.',
    source: { id: 'lowy-razaviyayn', item: 'Algorithm 14' },
    params: z
      .strictObject({ lower: finite, upper: finite, levels: levelsSchema })
      .refine(({ lower, upper }) => lower <= 0 && upper >= 0 && lower < upper, {
        message: '0 is in the interval, and lower is less than upper',
      }),
    examples: [
      { lower: -0.5, upper: 3, levels: 5 },
      { lower: 0, upper: 1 },
    ],
    claims: [
      {
        property: 'event',
        statement:
          '(ε, δ) among the honest users, for ε up to 15: ' +
          'every one of them adds an equal part of the fair bits that are needed',
        source: { id: 'lowy-razaviyayn', item: 'Lemma 56' },
      },
      { property: 'counts', statement: 'the same of how often one message comes' },
      { property: 'messages', statement: 'levels and fair bits, whatever the number' },
      {
        property: 'unbiased',
        statement: 'for numbers in the interval',
        source: { id: 'lowy-razaviyayn', item: 'Lemma 56' },
      },
      {
        property: 'variance-bound',
        statement: '((upper − lower)/levels)² · users · (1 + noise bits)/4, attained half-way between levels',
        source: { id: 'lowy-razaviyayn', item: 'Lemma 56' },
      },
    ],
    domain: ({ lower, upper }) => boxDomain({ lower, upper }),
    varianceBound: ({ lower, upper, levels }, context) =>
      scaledVariance(subtractUp(upper, lower), bitsOf(levels, context), context),
  },
  {
    bits: ({ levels }, context) => bitsOf(levels, context),
    addRecord({ lower, upper }, { levels }, record, random, counts) {
      const x = Number.isFinite(record[0]) ? Math.max(lower, Math.min(upper, record[0])) : 0;
      addBits(
        counts,
        0,
        levels,
        roundAtRandom(random, Math.min(levels, ((x - lower) / (upper - lower)) * levels)),
      );
    },
    estimate: ({ lower, upper }, { levels, noiseBits }, { users }, { ones }) =>
      Float64Array.of(users * lower + ((upper - lower) / levels) * (ones[0] - (users * noiseBits) / 2)),
  },
);

function bitsOf(given: number | undefined, context: ShuffleContext): Bits {
  if (context.dimension !== 1)
    throw new Unsupported(
      `records of ${context.dimension} numbers were given; ` +
        'this sums single numbers: take shuffled-vector-sum',
      { dimension: context.dimension },
    );
  const target = targetOf(context);
  const levels = given ?? crowdLevels(context.users);
  const exposed = multiplyUp(1 + 2 / levels, 1 + 2 ** -40);
  const noiseBits = noiseBitsPerUser(
    noiseBitsNeeded(levels, shareOf(target, { counts: 1, sum: exposed, root: exposed }, levels)),
    context.honestUsers,
    1,
  );
  return { bins: 1, levels, dataBits: levels, noiseBits };
}
