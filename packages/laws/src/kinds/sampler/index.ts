import type { Law } from '../../law/law.js';

/** Laws of every sampler. */
export const samplerLaws: readonly Law<'sampler'>[] = [];
