import type { Law } from '../../law/law.js';
import { chargeFirst, entries, everyReleasePays } from './charges.js';
import { costByMembership, draws, splits } from './members.js';
import { emptyBatch, noSizesUnderAddRemove, publicNormaliser, publicSize } from './normaliser.js';
import { scale } from './scale.js';
import { amplification, deadBatches, scopes, tokens } from './scopes.js';
import { sensitivity } from './sensitivity.js';

/** Laws of every curator. */
export const curatorLaws: readonly Law<'curator'>[] = [
  chargeFirst, entries, everyReleasePays, scale, publicNormaliser, emptyBatch, publicSize, noSizesUnderAddRemove, scopes, deadBatches, amplification, tokens, draws,
  sensitivity, splits, costByMembership,
];
