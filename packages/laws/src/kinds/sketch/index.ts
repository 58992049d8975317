import type { Law } from '../../law/law.js';

/** Laws of every sketch. */
export const sketchLaws: readonly Law<'sketch'>[] = [];
