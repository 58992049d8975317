import type { Law } from '../../law/law.js';
import { amplification, disjoint } from './amplification.js';
import { deal, dealAmplification, dealCoins } from './deal.js';
import { dealFrequencies, dealNormalisers, exactDeal } from './deal-law.js';
import { exactMarginals, expectedSize, marginals } from './marginals.js';
import { coins, positions, size } from './positions.js';
import { dealRemoval, removal } from './removal.js';

/** Laws of every sampler. */
export const samplerLaws: readonly Law<'sampler'>[] = [
  positions, size, coins, amplification, removal, disjoint, exactMarginals, marginals, expectedSize,
  deal, dealCoins, dealAmplification, dealRemoval, exactDeal, dealFrequencies, dealNormalisers,
];
