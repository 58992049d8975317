import type { Law } from '../../law/law.js';

/** Laws of every lowerBound. */
export const lowerBoundLaws: readonly Law<'lowerBound'>[] = [];
