import { dominatingPair, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  allocatedLossDistributions,
  allocationRenyi,
  innerLossDistribution,
  sendsMessages,
} from '../../amplification/index.js';
import { chainedRenyi } from '../../group/chain.js';
import type { NestedResolver } from '../../knowledge.js';
import { atMost } from './all-records.js';
import type { SampledBy } from './sampler-distribution.js';

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
 * A record is in exactly one batch, so its cost is at most that of one batch. If absence from a batch reveals
 * nothing else, the batch is also secret: the pair is `P` in one batch against `Q` in all. It dominates,
 * since the post-processing of the pair of one batch may depend on all earlier batches.
 */
export const randomAllocation: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const known = atMost(event, adjacency, nested);
  if (sendsMessages(event)) return known;
  if (adjacency === 'replace-one') return { ...known, rdp: () => replaced(sampler.steps, event, nested) };
  return {
    ...known,
    rdp: () => allocationRenyi(sampler.steps, nested(event, 'rdp', adjacency, 'event')),
    pair: () => {
      const distributions = allocatedLossDistributions(
        innerLossDistribution(event, adjacency, nested, 'remove'),
        sampler.steps,
      );
      return distributions === undefined
        ? defined(known.pair)()
        : [dominatingPair('remove', distributions.remove), dominatingPair('add', distributions.add)];
    },
  };
};
