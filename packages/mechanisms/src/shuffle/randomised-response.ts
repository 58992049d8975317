import {
  addDown,
  divideDown,
  divideUp,
  expm1Down,
  multiplyDown,
  multiplyUp,
  sqrtDown,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import {
  defineLocalRandomiser,
  InvalidParameter,
  Unsupported,
  type CoreEvent,
  type RandomSource,
  type ShuffleContext,
  type Vector,
} from '@lethe/core';
import * as z from 'zod';
import { simplexDomain } from '../domains/simplex.js';
import { bernoulli } from './exact-bits.js';
import { assertCrowd } from './shuffle-context.js';

/**
 * Randomised response over as many categories as records have entries: with probability `p` the answer is a
 * uniform category, else the true one. The estimate is the unbiased histogram. Every answer is private by
 * itself; there is no claim about shuffling.
 *
 * A record is a category as a unit vector, or a share of each: entries from 0 on with sum 1, of which one is
 * drawn. Negative entries count as 0; of a sum below 1 the rest is spread evenly, as is all of a null record
 * or of one that is not finite; a sum above 1 is divided by.
 *
 * The target is ε, with an unused δ, or ρ, met by ε with `ε²/2 ≤ ρ`;
 * `p = k/(k + e^ε − 1)`, rounded up, is drawn exactly.
 */
export const randomisedResponse = defineLocalRandomiser({
  name: 'randomised-response',
  summary: 'Tells the true category or, now and then, any.',
  source: { id: 'warner-1965', item: 'randomised response; k categories: kairouz-bonawitz-ramage-2016' },
  params: z.strictObject({}),
  claims: [
    {
      property: 'event',
      statement: 'ε for every user, with equality up to rounding, whatever the others do',
    },
    { property: 'counts', statement: 'the same of how often one message comes' },
    { property: 'messages', statement: 'one, the category' },
    { property: 'unbiased', statement: 'for records on the simplex' },
    {
      property: 'variance-bound',
      statement: 'users · (1 − 1/k)/(1 − p)², attained by records that are spread evenly',
    },
  ],
  messageCount(_params, context) {
    lieOf(context);
    return 1;
  },
  randomise(_params, context, record, random) {
    const p = lieOf(context);
    if (record.length !== context.dimension)
      throw new InvalidParameter(
        `a record of length ${record.length} was given; there are ${context.dimension} categories`,
        { length: record.length, dimension: context.dimension },
      );
    return Uint32Array.of(bernoulli(random, p) ? random.integer(record.length) : categoryOf(record, random));
  },
  analyse(_params, context, messages) {
    const p = lieOf(context);
    const { dimension, users } = context;
    const histogram = new Float64Array(dimension);
    if (messages.length !== users)
      throw new InvalidParameter(`${messages.length} messages were given; ${users} users send one each`, {
        messages: messages.length,
        users,
      });
    for (const message of messages) {
      if (message >= dimension)
        throw new InvalidParameter(`a message ${message} was given; categories are below ${dimension}`, {
          message,
          dimension,
        });
      histogram[message]++;
    }
    const byChance = (users * p) / dimension;
    return histogram.map((count) => (count - byChance) / (1 - p));
  },
  event(_params, context): CoreEvent<'core/randomized-response'> {
    assertCrowd(context);
    return { kind: 'core/randomized-response', v: 1, p: lieOf(context), categories: context.dimension };
  },
  domain: () => simplexDomain({}),
  varianceBound(_params, context) {
    const { dimension, users } = context;
    const truth = subtractDown(1, lieOf(context));
    return multiplyUp(users, divideUp(subtractUp(1, divideDown(1, dimension)), multiplyDown(truth, truth)));
  },
});

/** One category, each with the probability that is its share; exact up to the rounding of sums. */
function categoryOf(record: Vector, random: RandomSource): number {
  let total = 0;
  let last = 0;
  for (const entry of record) total += Math.max(0, entry);
  if (!record.every(Number.isFinite) || !(total < Infinity) || (total < 1 && !bernoulli(random, total)))
    return random.integer(record.length);
  for (let j = 0, left = total; j < record.length; j++) {
    if (!(record[j] > 0)) continue;
    if (record[j] < left && !bernoulli(random, record[j] / left)) [left, last] = [left - record[j], j];
    else return j;
  }
  return last;
}

/** The probability of an answer by chance, rounded up. */
function lieOf({ dimension, target }: ShuffleContext): number {
  if (!Number.isSafeInteger(dimension) || dimension < 2 || dimension > 2 ** 32)
    throw new Unsupported(`there are ${dimension} categories; randomised response needs at least 2`, {
      dimension,
    });
  if ('unprotected' in target || 'noiseMultiplier' in target)
    throw new Unsupported(
      'randomised response has no noise to scale; give a target of epsilon and delta, or of rho',
      { target },
    );
  const epsilon = 'rho' in target ? sqrtDown(multiplyDown(2, target.rho)) : target.epsilon;
  if (!(epsilon > 0 && epsilon < Infinity))
    throw new InvalidParameter(`the target is ${JSON.stringify(target)}; it must be positive and finite`, {
      target,
    });
  const p = Math.min(1, divideUp(1, addDown(1, divideDown(expm1Down(epsilon), dimension))));
  if (!(p < 1))
    throw new Unsupported(
      `ε = ${epsilon} leaves nothing of the truth among ${dimension} categories; ask for more`,
      { epsilon },
    );
  return p;
}
