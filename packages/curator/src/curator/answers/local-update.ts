import type { Handler } from '../handlers.js';
import { eachUpdate, localProcedure } from '../local-update.js';
import { assertVector } from '../validate.js';
import { preparedMean } from './mean.js';

/**
 * A private mean of local updates. The bound of the mean comes after all steps, so that its sensitivity is
 * that of any vectors, however many steps there are. No fact about gradients bounds an update, so that
 * means that rest on one are refused.
 */
export const answerLocalUpdate: Handler<'localUpdate'> = (
  context,
  { from, local, batch: token, mean, target },
) => {
  assertVector('the point of local updates', from, context.dimension);
  const procedure = localProcedure(context, local);
  const batch = context.batch(token);
  const { dimension, registry } = context;
  const shape = {
    dimension,
    slots: batch.normaliser,
    size: batch.size,
    weight: 1,
    iterateDimension: dimension,
    facts: {},
    registry,
  } as const;
  return preparedMean(
    context,
    { batch, mean, target, shape },
    { each: (data, rows, use) => eachUpdate(data, rows, { from, procedure }, use) },
  );
};
