import {
  defineShuffledMean,
  referenceTo,
  resolvePlugin,
  type LocalRandomiser,
  type ShuffledShape,
  type ShuffleContext,
} from '@lethe/core';
import { addUp, divideUp, multiplyDown } from '@lethe/numerics';
import * as z from 'zod';
import { shuffledVectorSum } from '../shuffle/shuffled-vector-sum.js';

const crowd = ({ dimension, slots, honestUsers, target }: ShuffledShape): ShuffleContext => ({
  dimension,
  users: slots,
  honestUsers,
  target,
});

/**
 * The mean of all users' records from the shuffled messages of a local randomiser, divided by the users.
 * Bounds are known where the randomiser declares its own.
 *
 * @param params - `randomiser`: a reference.
 */
export const shuffledMean = defineShuffledMean({
  name: 'shuffled',
  summary: 'Mean of all users’ records from shuffled messages.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithms 10 and 13' },
  params: z.strictObject({ randomiser: referenceTo('localRandomiser') }),
  examples: [{ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) }],
  claims: [
    {
      property: 'randomiser',
      statement:
        'bias and variance are those that the randomiser declares, of randomness and of the users’ records',
    },
    { property: 'scale-equivariant', statement: 'other units of the randomiser are other units of the mean' },
  ],
  trust: 'shuffle',
  privacyRestsOn: 'clip',
  randomiser: ({ randomiser }) => randomiser,
  scaled({ randomiser }, factor, registry) {
    const { plugin, params } = resolvePlugin<LocalRandomiser>(registry, randomiser);
    if (plugin.scaled === undefined) return null;
    return { randomiser: { name: plugin.name, params: plugin.scaled(params, factor) } };
  },
  biasBound({ randomiser }, { registry }, moment) {
    const { plugin, params } = resolvePlugin<LocalRandomiser>(registry, randomiser);
    return plugin.biasBound?.(params, moment) ?? null;
  },
  varianceBound({ randomiser }, shape, moment) {
    const { plugin, params } = resolvePlugin<LocalRandomiser>(shape.registry, randomiser);
    const { slots } = shape;
    const noise = plugin.varianceBound?.(params, crowd(shape));
    const records = plugin.recordVarianceBound?.(params, moment);
    if (noise === undefined || records === undefined) return null;
    return addUp(divideUp(noise, multiplyDown(slots, slots)), divideUp(records, slots));
  },
});
