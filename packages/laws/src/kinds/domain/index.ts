import type { Law } from '../../law/law.js';

/** Laws of every domain. */
export const domainLaws: readonly Law<'domain'>[] = [];
