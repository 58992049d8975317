import type { CoreEvent } from '../../../events/schema.js';
import type { Knower } from '../../knowledge.js';
import { everyone } from './everyone.js';
import { fixedSize } from './fixed-size.js';
import { poisson } from './poisson.js';
import { randomAllocation } from './random-allocation.js';
import { truncatedPoisson } from './truncated-poisson.js';

/** Everything inside is computed from one secret batch: what that adds to privacy depends on the law of the batch. */
export const sampled: Knower<'core/sampled'> = (sampledEvent, adjacency, nested) => {
  const { sampler, event }: CoreEvent<'core/sampled'> = sampledEvent;
  switch (sampler.kind) {
    case 'core/poisson': return sampler.rate === 1 ? everyone(event, adjacency, nested) : poisson(sampler.rate, event, adjacency, nested);
    case 'core/random-allocation': return sampler.steps === 1 ? everyone(event, adjacency, nested) : randomAllocation(sampler, event, adjacency, nested);
    case 'core/truncated-poisson': return truncatedPoisson(sampler, event, adjacency, nested);
    case 'core/fixed-size': return fixedSize(sampler, event, adjacency, nested);
  }
};
