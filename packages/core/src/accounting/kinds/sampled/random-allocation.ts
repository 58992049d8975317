import { atMost } from './everyone.js';
import type { SampledBy } from './sampler-law.js';

/** A record is in one of the batches, so its cost is at most theirs. */
export const randomAllocation: SampledBy<'core/random-allocation'> = (_sampler, event, adjacency, nested) => atMost(event, adjacency, nested);
