import type { Law } from '../../law/law.js';

/** Laws of every store. */
export const storeLaws: readonly Law<'store'>[] = [];
