import type { Law } from '../../law/law.js';

/** Laws of every optimizer. */
export const optimizerLaws: readonly Law<'optimizer'>[] = [];
