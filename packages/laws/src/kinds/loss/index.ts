import type { Law } from '../../law/law.js';

/** Laws of every loss. */
export const lossLaws: readonly Law<'loss'>[] = [];
