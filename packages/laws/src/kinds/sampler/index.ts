import type { Law } from '../../law/law.js';
import { amplification, disjoint, removal } from './amplification.js';
import { exactMarginals, expectedSize, marginals } from './marginals.js';
import { coins, positions, size } from './positions.js';

/** Laws of every sampler. */
export const samplerLaws: readonly Law<'sampler'>[] = [positions, size, coins, amplification, removal, disjoint, exactMarginals, marginals, expectedSize];
