import {
  type Adjacency,
  type DominatingPair,
  dominatingPair,
  type PrivacyEvent,
  type PrivacyLossDistribution,
  repeatedEvent,
  sampledEvent,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  allocatedLossDistributions,
  allocatedWitnesses,
  allocationRenyi,
  innerLossDistribution,
  sendsMessages,
  severalWitnesses,
} from '../../amplification/index.js';
import { chainedRenyi } from '../../group/chain.js';
import type { NestedResolver } from '../../knowledge.js';
import { allRecords, atMost } from './all-records.js';
import { attainedAlone } from './present-witness.js';
import type { SampledBy, SamplerOf } from './sampler-distribution.js';

/**
 * Replacing a record removes it and adds another one, in the same batch: the lesser of the bound without
 * amplification and that of these two steps.
 */
function replaced(steps: number, event: PrivacyEvent, nested: NestedResolver): (alpha: number) => number {
  const whole = nested.known(event, 'rdp', 'replace-one', 'event');
  const present =
    nested.known(event, 'rdp', 'zero-out', 'event') ?? nested.known(event, 'rdp', 'add-remove', 'event');
  if (present === undefined) return whole ?? nested(event, 'rdp', 'replace-one', 'event');
  const chain = chainedRenyi(allocationRenyi(steps, present), 2);
  return (alpha) => Math.min(whole?.(alpha) ?? Infinity, chain(alpha));
}

/**
 * What one batch shows of a record that is replaced by one that contributes nothing. `undefined` where
 * records are closer to each other than to null, so that there may be none.
 */
function nulledAlone(event: PrivacyEvent, nested: NestedResolver): PrivacyLossDistribution | undefined {
  const moved = (adjacency: Adjacency): number =>
    nested.known(event, 'gdp', adjacency, 'event')?.mu ??
    nested.known(event, 'pure', adjacency, 'event') ??
    0;
  return moved('replace-one') >= moved('zero-out') ? attainedAlone(event, 'zero-out', nested) : undefined;
}

/** The record is in `times` of the batches: pairs with what some neighbours come to, where that is known. */
function witnessed(
  pairs: readonly DominatingPair[],
  { steps, times = 1 }: SamplerOf<'core/random-allocation'>,
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
): readonly DominatingPair[] {
  const alone =
    adjacency === 'replace-one' ? nulledAlone(event, nested) : attainedAlone(event, adjacency, nested);
  const witnesses =
    alone && (times === 1 ? allocatedWitnesses(alone, steps) : severalWitnesses(alone, steps, times));
  if (witnesses === undefined) return pairs;
  return pairs.flatMap((pair) =>
    (['remove', 'add'] as const)
      .filter((direction) => [direction, 'symmetric'].includes(pair.direction))
      .map((direction) => ({
        ...pair,
        direction,
        witness: [{ distribution: witnesses[direction], count: 1 }],
      })),
  );
}

/** A record is in a uniformly random set of `times` of the batches, or in the one, or in all of them. */
export const randomAllocation: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const { steps, times = 1 } = sampler;
  if (times === steps) return allRecords(repeatedEvent(event, times), adjacency, nested);
  if (times === 1) return toOne(sampler, event, adjacency, nested);
  // Of `times` public blocks of batches, chosen at random, the record is in one batch each.
  const block = sampledEvent({ kind: 'core/random-allocation', steps: Math.floor(steps / times) }, event);
  const known = atMost(repeatedEvent(block, times), adjacency, nested);
  return sendsMessages(event)
    ? known
    : { ...known, pair: () => witnessed(defined(known.pair)(), sampler, event, adjacency, nested) };
};

/**
 * A record is in exactly one batch, so its cost is at most that of one batch. If absence from a batch reveals
 * nothing else, the batch is also secret: the pair is `P` in one batch against `Q` in all. It dominates,
 * since the post-processing of the pair of one batch may depend on all earlier batches.
 */
const toOne: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const known = atMost(event, adjacency, nested);
  if (sendsMessages(event)) return known;
  const { steps } = sampler;
  if (adjacency === 'replace-one')
    return {
      ...known,
      rdp: () => replaced(steps, event, nested),
      pair: () => witnessed(defined(known.pair)(), sampler, event, adjacency, nested),
    };
  return {
    ...known,
    rdp: () => allocationRenyi(steps, nested(event, 'rdp', adjacency, 'event')),
    pair: () => {
      const distributions = allocatedLossDistributions(
        innerLossDistribution(event, adjacency, nested, 'remove'),
        steps,
      );
      return witnessed(
        distributions === undefined
          ? defined(known.pair)()
          : (['remove', 'add'] as const).map((direction) =>
              dominatingPair(direction, distributions[direction]),
            ),
        sampler,
        event,
        adjacency,
        nested,
      );
    },
  };
};
