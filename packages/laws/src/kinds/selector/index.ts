import type { Law } from '../../law/law.js';

/** Laws of every selector. */
export const selectorLaws: readonly Law<'selector'>[] = [];
