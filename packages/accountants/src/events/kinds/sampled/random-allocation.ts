import { dominatingPair } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  allocatedLossDistributions,
  allocationRenyi,
  innerLossDistribution,
  sendsMessages,
} from '../../amplification/index.js';
import { atMost } from './all-records.js';
import type { SampledBy } from './sampler-distribution.js';

/**
 * A record is in exactly one batch, so its cost is at most that of one batch. If absence from a batch reveals
 * nothing else, the batch is also secret: the pair is `P` in one batch against `Q` in all. It dominates,
 * since the post-processing of the pair of one batch may depend on all earlier batches.
 */
export const randomAllocation: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const known = atMost(event, adjacency, nested);
  if (adjacency === 'replace-one' || sendsMessages(event)) return known;
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
