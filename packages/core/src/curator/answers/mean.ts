import { IncompatiblePlugins, Unsupported } from '@lethe/numerics';
import type { CentralMean, Mean, MeanShape } from '../../plugins/mean.js';
import { resolvePlugin } from '../../plugins/registry.js';
import type { StoredBatch } from '../../ledger/index.js';
import type { GradientTerms, Vector } from '../../query/query.js';
import type { PrivateContext, PublicContext } from '../context.js';
import type { Handler } from '../handlers.js';
import { eachRecord, linearSum } from '../bounded-sum.js';
import { eachSparseGradient, hasSparseGradients } from '../sparse-gradients.js';
import { weightOf } from '../record-bound.js';
import { planNoise, sizeOf, type PlannedNoise } from '../sensitivity.js';
import { assertTerms } from '../validate.js';
import { noised } from './noised.js';

/** What is public of the mean of these gradients over this batch. */
const shapeOf = (
  { dimension, facts, registry }: PublicContext,
  { terms, coordinates }: GradientTerms,
  { normaliser, size }: StoredBatch,
): MeanShape => ({
  dimension: coordinates?.length ?? dimension,
  slots: normaliser,
  size,
  weight: weightOf(terms),
  iterateDimension: dimension,
  coordinates,
  facts,
  registry,
});

/** A private mean of gradients, worked out by a curator that is trusted with them. */
export const answerMean: Handler<'mean'> = (context, { of, batch: token, mean: ref, target }) => {
  assertTerms(of, context.dimension);
  const { plugin, params } = resolvePlugin<Mean>(context.registry, ref);
  if (plugin.trust !== 'central') {
    throw new IncompatiblePlugins(
      `mean '${ref.name}' is of the ${plugin.trust} model: it needs a shuffleCurator, ` +
        "and this curator is central; ask for a central mean, such as 'clipped'",
      { mean: ref.name, trust: plugin.trust },
    );
  }
  const batch = context.batch(token);
  if (batch.size === 'hidden' && plugin.hiddenSize !== true) {
    throw new Unsupported(
      `mean '${ref.name}' needs a batch of exact size; batch '${batch.id}' hides it. ` +
        "Take a mean that declares hiddenSize, such as 'clipped' or 'lattice-mean'.",
      { mean: ref.name },
    );
  }
  const shape = shapeOf(context, of, batch);
  const planned = plannedNoise(context, plugin.mechanism(params), { plugin, params, shape }, target);
  return {
    effect: { charge: { on: batch.stretch, event: plugin.event(params, planned.event, shape) } },
    blank: () => new Float64Array(shape.dimension),
    release: (records) => released({ plugin, params, shape }, batch, of, planned, records),
  };
};

interface Shaped {
  readonly plugin: CentralMean;
  readonly params: unknown;
  readonly shape: MeanShape;
}

function plannedNoise(
  context: PublicContext,
  mechanism: Parameters<typeof planNoise>[1],
  { plugin, params, shape }: Shaped,
  target: Parameters<typeof planNoise>[2],
): PlannedNoise {
  const sensitivity = plugin.sensitivity(params, shape);
  return planNoise(context, mechanism, target, sensitivity, {
    norm: plugin.norm(params, shape),
    length: shape.dimension,
    integers: plugin.integers === true,
    size: plugin.largestEntry?.(params, shape) ?? sizeOf(sensitivity, shape.slots),
  });
}

/**
 * A linear mean of a linear loss needs no gradients. Every other goes record by record through its own code:
 * by the entries that differ from zero, where records are sparse and the mean takes them so.
 */
function released(
  { plugin, params, shape }: Shaped,
  batch: StoredBatch,
  of: GradientTerms,
  planned: PlannedNoise,
  { data, rows, coins }: PrivateContext,
): Vector {
  const members = rows(batch);
  const linear = plugin.linear?.(params, shape) ?? null;
  const sum = linear === null ? null : linearSum(data, members, of, linear);
  if (sum !== null) {
    for (let j = 0; j < sum.length; j++) sum[j] /= shape.slots;
    const transform = linear?.transform?.(coins().fork('oracle'));
    const answer = noised(finite(transform?.value(sum) ?? sum), planned, coins);
    return transform?.finish(answer) ?? answer;
  }
  const run = plugin.begin(params, shape, coins().fork('oracle'));
  if (run.addSparse === undefined || !hasSparseGradients(data, of))
    eachRecord(data, members, of, (slot, gradient) => run.add(slot, gradient));
  else
    eachSparseGradient(data, members, of, (slot, indices, values) => run.addSparse?.(slot, indices, values));
  return run.finish(noised(finite(run.value()), planned, coins));
}

/** A mean that breaks its contract must not turn that into a signal about the records. */
const finite = (value: Vector): Vector => (value.every(Number.isFinite) ? value : value.fill(0));
