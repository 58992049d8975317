import { addUp, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { type ShuffleContext } from '@lethe/core';
import * as z from 'zod';
import { medianOfSorted } from '../means/median.js';
import { noiseBitsPerUser, noiseBitsNeeded, shareOf } from './binomial-noise.js';
import { addBits, defineCountedSum, type Bits } from './counted-sum.js';
import { roundAtRandom } from './exact-bits.js';
import { crowdLevels, levelsSchema } from './levels.js';
import { targetOf } from './shuffle-context.js';

/**
 * Median, in each coordinate, of the means of `groups` groups of users
 * whose entries are clamped to `[−bound, bound]`; times the users.
 *
 * Every user joins one group by randomness of its own, the same for all coordinates, and nobody learns which;
 * the sizes of the groups show in the numbers of messages and are divided by. A group without users does not
 * take part. All users add fair bits to all groups, so that no group depends on who is in it for its privacy,
 * at the same number of messages in all as if each added to its own.
 *
 * The noise is inside the median and biases it where means of
 * groups are skewed: it is not claimed to be unbiased.
 *
 * @param params - `bound`: positive. `groups`: from 1 on. `levels`: bits for each coordinate, from 2 on; left
 * out, `⌈√(users/groups)⌉` and at least 4.
 */
export const shuffledMedianOfMeans = defineCountedSum(
  {
    name: 'shuffled-median-of-means',
    summary:
      'Coordinate-wise median of the means of random groups of users, from shuffled bits and noise bits.',
    source: { id: 'lowy-razaviyayn', item: 'Algorithm 13' },
    params: z.strictObject({
      bound: z.number().min(1e-150).max(1e150),
      groups: z
        .int()
        .min(1)
        .max(2 ** 20),
      levels: levelsSchema,
    }),
    examples: [
      { bound: 1, groups: 3, levels: 4 },
      { bound: 0.5, groups: 2 },
    ],
    claims: [
      {
        property: 'event',
        statement:
          '(ε, δ) among the honest users, for ε up to 15, by composition over coordinates as it is ' +
          'proved, not as Proposition 53 prints it',
        source: { id: 'lowy-razaviyayn', item: 'Proposition 53, repaired' },
      },
      { property: 'counts', statement: 'the same of how often one message comes' },
      {
        property: 'messages',
        statement:
          'levels for each coordinate, and fair bits for each coordinate and group, whatever the vector',
      },
    ],
    scaled: ({ bound, groups, levels }, factor) => ({
      bound: bound * factor,
      groups,
      ...(levels === undefined ? {} : { levels }),
    }),
  },
  {
    bits: ({ groups, levels }, context) => bitsOf(groups, levels, context),
    addRecord({ bound, groups }, { levels }, record, random, counts) {
      const group = random.integer(groups);
      const usable = record.every(Number.isFinite);
      for (let j = 0; j < record.length; j++) {
        const share = usable ? Math.max(-1, Math.min(1, record[j] / bound)) : 0;
        addBits(counts, j * groups + group, levels, roundAtRandom(random, (1 + share) * (levels / 2)));
      }
    },
    estimate({ bound, groups }, { levels, noiseBits }, { dimension, users }, { ones, zeros }) {
      return Float64Array.from({ length: dimension }, (_, j) => {
        const means: number[] = [];
        for (let bin = j * groups; bin < (j + 1) * groups; bin++) {
          const members = (ones[bin] + zeros[bin] - users * noiseBits) / levels;
          if (members > 0) means.push(((bound / levels) * (ones[bin] - zeros[bin])) / members);
        }
        return means.length === 0 ? 0 : users * medianOfSorted(means.toSorted((a, b) => a - b));
      });
    },
  },
);

/** All coordinates may change by the whole range: `2/levels + 1` in each. */
function bitsOf(groups: number, given: number | undefined, context: ShuffleContext): Bits {
  const target = targetOf(context);
  const { dimension, users, honestUsers } = context;
  const levels = given ?? crowdLevels(users / groups);
  const each = multiplyUp(addUp(divideUp(2, levels), 1), 1 + 2 ** -40);
  const share = shareOf(
    target,
    { counts: dimension, sum: multiplyUp(each, dimension), root: multiplyUp(each, sqrtUp(dimension)) },
    levels,
  );
  const noiseBits = noiseBitsPerUser(noiseBitsNeeded(levels, share), honestUsers, dimension * groups);
  return { bins: dimension * groups, levels, dataBits: levels * dimension, noiseBits };
}
