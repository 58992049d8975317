import type { Adjacency, Fact, Ref, Registry, StoredStream } from '@lethe/core';
import { defined, Unsupported } from '@lethe/numerics';
import type { PublicContext } from '../curator/context.js';
import { createLiveBatches } from '../curator/live-batches.js';
import { createPrepaid } from '../curator/prepaid.js';
import type { Effect, StoredBatch } from '../ledger/index.js';

/** What is public of the data that a run is priced on. */
export interface PublicData {
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly dimension: number;
  readonly loss: Ref<'loss'>;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly allRecords: StoredBatch;
  /** As in {@link PublicContext}. */
  readonly noiseShares?: number;
}

/** A curator's public side, without the data. */
export interface PricingContext extends PublicContext {
  /** Takes in what a query did. @returns its charge, unless that was paid for before. */
  apply(effect: Effect): Effect;
}

/** @param isEstimate - Whether noise may be asked for that no mechanism draws: a price is looked for. */
export function pricingContext({ loss, ...data }: PublicData, isEstimate: boolean): PricingContext {
  const batches = createLiveBatches(data.allRecords, ({ stretch }) => prepaid.forget(stretch.space));
  const prepaid = createPrepaid();
  const streams = new Map<string, StoredStream & { pushed: number }>();
  return {
    ...data,
    isEstimate,
    // Whether a release without noise is allowed is for the curator of the run to say.
    allowUnprotected: true,
    isUnplanned: false,
    // Of the loss a problem has the name alone, which the registry need not know: its curator looks at it.
    loss: { name: loss.name, isConvex: true, isLinear: true },
    factsWithin: () => data.facts,
    isPrepaid: ({ stretch }) => prepaid.covers(stretch.space),
    batch: ({ id }) => batches.stored(id),
    stream({ id }) {
      const found = streams.get(id);
      if (found === undefined) throw new Unsupported(`stream '${id}' was never opened`, { stream: id });
      return { ...found, admits: () => true, assertVerified: () => undefined };
    },
    scopesFrom: ({ id }) => batches.scopesFrom(id),
    affords() {
      throw new Unsupported(
        'a run that asks what it can afford has no price before it is run; ' +
          'return event and gradients from plan',
        {},
      );
    },
    apply(effect) {
      const { charge, ...rest } = effect;
      const isPaid = charge !== undefined && prepaid.covers(charge.on.space);
      if (!isPaid) prepaid.apply(effect);
      batches.apply(effect);
      if (effect.stream !== undefined) streams.set(effect.stream.id, { ...effect.stream, pushed: 0 });
      if (effect.push !== undefined) defined(streams.get(effect.push.stream)).pushed++;
      return isPaid ? rest : effect;
    },
  };
}
