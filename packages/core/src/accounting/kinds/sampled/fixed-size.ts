import { Unsupported } from '../../../errors.js';
import { everyone } from './everyone.js';
import type { SampledBy } from './sampler-law.js';

export const fixedSize: SampledBy<'core/fixed-size'> = (sampler, event, adjacency, nested) => {
  if (!sampler.replacement && sampler.size === sampler.n && adjacency !== 'add-remove') return everyone(event, adjacency, nested);
  throw new Unsupported(`a sample of fixed size cannot be accounted yet under ${adjacency}; use Poisson sampling`, { sampler: sampler.kind, adjacency });
};
