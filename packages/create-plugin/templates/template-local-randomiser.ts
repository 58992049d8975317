import {
  defineLocalRandomiser,
  InvalidParameter,
  Unsupported,
  type CoreEvent,
  type ShuffleContext,
  type Target,
} from '@lethe/core';
import { multiplyDown, sqrtDown } from '@lethe/numerics';
import * as z from 'zod';

/**
 * One bit for each coordinate, by randomised response: coordinate `j` sends `2j` or `2j + 1`, the latter with
 * a probability between `1/(1 + e^a)` and `e^a/(1 + e^a)` that grows with the entry, `a = ε/dimension`. Every
 * user's messages are ε-private by themselves; say here what yours earn from the crowd, and cite it.
 *
 * @param params - `limit`: positive; entries beyond it are moved onto it.
 */
export const templateLocalRandomiser = defineLocalRandomiser({
  name: 'template-local-randomiser',
  summary: 'Sends one randomised bit for each coordinate.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({ limit: z.number().min(1e-100).max(1e100) }),
  examples: [{ limit: 1 }],
  claims: [
    {
      property: 'event',
      statement: 'messages of one user are ε-private whatever the others do; nothing is earned by shuffling',
    },
    { property: 'unbiased', statement: 'the estimate has the sum of the clamped records as its mean' },
    { property: 'messages', statement: 'one message for each coordinate' },
  ],
  messageCount: (_params, { dimension }) => dimension,
  randomise({ limit }, context, record, random) {
    const lean = leanOf(context);
    const usable = record.every(Number.isFinite);
    return Uint32Array.from({ length: context.dimension }, (_, j) => {
      const entry = usable ? Math.max(-1, Math.min(1, record[j] / limit)) : 0;
      return 2 * j + (random.uniform() < (1 + lean * entry) / 2 ? 1 : 0);
    });
  },
  analyse({ limit }, context, messages) {
    const sum = new Float64Array(context.dimension);
    const unit = limit / leanOf(context);
    for (const message of messages) {
      const j = message >>> 1;
      if (j >= context.dimension)
        throw new InvalidParameter(
          `a message ${message} was given; in dimension ${context.dimension} they are below ` +
            `${2 * context.dimension}`,
          { message },
        );
      sum[j] += message % 2 === 1 ? unit : -unit;
    }
    return sum;
  },
  event(_params, { target, users, honestUsers }): CoreEvent<'core/pure'> {
    if (!(Number.isSafeInteger(honestUsers) && honestUsers >= 1 && honestUsers <= users)) {
      throw new InvalidParameter(
        `${honestUsers} honest users of ${users} were given; it must be a whole number from 1 to that`,
        { honestUsers, users },
      );
    }
    return { kind: 'core/pure', v: 1, epsilon: epsilonOf(target) };
  },
});

/** `P(1) − P(0)` of the bit of a coordinate at the limit: `tanh(a/2)`. */
const leanOf = ({ dimension, target }: ShuffleContext): number =>
  Math.tanh(epsilonOf(target) / dimension / 2);

/** Pure ε is `ε²/2`-zCDP, so that a target of ρ is met by `√(2ρ)`. */
function epsilonOf(target: Target): number {
  if ('unprotected' in target || 'noiseMultiplier' in target)
    throw new Unsupported(
      'randomised bits have no noise to scale; give a target of epsilon and delta, or of rho',
      { target },
    );
  const epsilon = 'rho' in target ? sqrtDown(multiplyDown(2, target.rho)) : target.epsilon;
  if (!(epsilon > 0 && epsilon < Infinity))
    throw new InvalidParameter(`the target is ${JSON.stringify(target)}; it must be positive and finite`, {
      target,
    });
  return epsilon;
}
