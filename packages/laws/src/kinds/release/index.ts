import type { Law } from '../../law/law.js';

/** Laws of every release. */
export const releaseLaws: readonly Law<'release'>[] = [];
