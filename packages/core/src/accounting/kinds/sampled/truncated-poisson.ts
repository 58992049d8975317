import { Unsupported } from '../../../errors.js';
import type { SampledBy } from './sampler-law.js';

export const truncatedPoisson: SampledBy<'core/truncated-poisson'> = (sampler, _event, adjacency) => {
  throw new Unsupported(`a truncated Poisson sample cannot be accounted yet under ${adjacency}`, { sampler: sampler.kind, adjacency });
};
