import type { Adjacency, CoreEvent, Characterisations } from '@lethe/core';
import type { Unsupported } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import { attempt } from '../../attempt.js';
import { withoutFailures } from '../../failures.js';
import type { Knower, NestedResolver } from '../../knowledge.js';
import { failingPairs } from '../../pairs/index.js';
import { allRecords } from './all-records.js';
import { fixedSize } from './fixed-size.js';
import { poisson } from './poisson.js';
import { randomAllocation } from './random-allocation.js';
import { truncatedPoisson } from './truncated-poisson.js';
import { upperOnly } from '../../pairs/witness.js';

/** The inner event is computed from one secret batch; the amplification depends on the sampler. */
export const sampled: Knower<'core/sampled'> = (sampledEvent, adjacency, nested) => {
  const known = bySampler(sampledEvent, adjacency, nested);
  return {
    ...known,
    ...(known.pair && { pair: () => orFailing(sampledEvent, defined(known.pair), adjacency, nested) }),
  };
};

/**
 * The sampler's pair, or else the pair of the event without failures, with the failures as an additional
 * factor.
 */
function orFailing(
  event: CoreEvent<'core/sampled'>,
  direct: () => Characterisations['pair'],
  adjacency: Adjacency,
  nested: NestedResolver,
): Characterisations['pair'] {
  let refusal: Unsupported | undefined;
  const found = attempt(direct, (error) => {
    refusal = error;
  });
  if (found !== undefined) return found;
  const { event: sound, delta } = withoutFailures(event, adjacency);
  if (delta === 0) throw defined(refusal);
  return failingPairs(delta, nested(sound, 'pair', adjacency, '(without failures)')).map(upperOnly);
}

const bySampler: Knower<'core/sampled'> = ({ sampler, event }, adjacency, nested) => {
  switch (sampler.kind) {
    case 'core/poisson':
      return sampler.rate === 1
        ? allRecords(event, adjacency, nested)
        : poisson(sampler.rate, event, adjacency, nested);
    case 'core/random-allocation':
      return randomAllocation(sampler, event, adjacency, nested);
    case 'core/truncated-poisson':
      return truncatedPoisson(sampler, event, adjacency, nested);
    case 'core/fixed-size':
      return fixedSize(sampler, event, adjacency, nested);
  }
};
