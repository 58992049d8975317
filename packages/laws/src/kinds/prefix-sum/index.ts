import type { Law } from '../../law/law.js';

/** Laws of every prefixSum. */
export const prefixSumLaws: readonly Law<'prefixSum'>[] = [];
