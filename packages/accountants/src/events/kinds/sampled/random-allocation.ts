import { dominatingPair } from '@lethe/core';
import { allocatedLossDistributions, allocationRenyi, innerLossDistribution, sendsMessages } from '../../amplification/index.js';
import { atMost } from './all-records.js';
import type { SampledBy } from './sampler-distribution.js';

/**
 * A record is in one of the batches, so its cost is at most theirs. Where its absence from a batch shows nothing else, it also is in
 * a secret one of them: `P` in one place against `Q` in all, which dominates because what turns the pair of one place into what a
 * batch shows may look at all batches before.
 */
export const randomAllocation: SampledBy<'core/random-allocation'> = (sampler, event, adjacency, nested) => {
  const known = atMost(event, adjacency, nested);
  if (adjacency === 'replace-one' || sendsMessages(event)) return known;
  return {
    ...known,
    rdp: () => allocationRenyi(sampler.steps, nested(event, 'rdp', adjacency, 'event')),
    pair: () => {
      const laws = allocatedLossDistributions(innerLossDistribution(event, adjacency, nested, 'remove'), sampler.steps);
      return laws === undefined ? known.pair!() : [dominatingPair('remove', laws.remove), dominatingPair('add', laws.add)];
    },
  };
};
