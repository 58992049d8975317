import { resolvePlugin, type Mean, type MeanShape, type Ref } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import type { Handler } from '../handlers.js';
import { eachUpdate, localProcedure, type SlotWeights } from '../local-update.js';
import { assertVector } from '../validate.js';
import { preparedMean } from './mean.js';

/**
 * A private mean of local updates. The bound of the mean comes after all steps, so that its sensitivity is
 * that of any vectors, however many steps there are. No fact about gradients bounds an update, so that
 * means that rest on one are refused. Weights of slots are at most 1 and come after the bound, so that they
 * change nothing of the cost.
 */
export const answerLocalUpdate: Handler<'localUpdate'> = (
  context,
  { from, local, batch: token, mean, target, fullRecords },
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
  const weights = fullRecords === undefined ? undefined : weightsOf(mean, shape, fullRecords);
  return preparedMean(
    context,
    { batch, mean, target, shape },
    { each: (data, rows, use) => eachUpdate(data, rows, { from, procedure, weights }, use) },
  );
};

/**
 * @throws {InvalidParameter} for a number of records that is none; {Unsupported} for a mean that does not
 * scale vectors into a ball: its bound would come after the weight, and not before.
 */
function weightsOf(mean: Ref<'mean'>, shape: MeanShape, fullRecords: number): SlotWeights {
  if (!(fullRecords > 0 && Number.isFinite(fullRecords)))
    throw new InvalidParameter(
      `fullRecords of local updates is ${fullRecords}; it must be positive and finite`,
      { fullRecords },
    );
  const { plugin, params } = resolvePlugin<Mean>(shape.registry, mean);
  const bound = plugin.trust === 'central' ? (plugin.linear?.(params, shape) ?? null) : null;
  // Another factor would be taken again after the weight, and undo it.
  if (bound === null || bound.radius === null)
    throw new Unsupported(
      `mean '${mean.name}' does not scale updates into a ball, which weights of slots need; take 'clipped' ` +
        "with an 'l2-clip', or leave fullRecords out",
      { mean: mean.name },
    );
  return { fullRecords, bound };
}
