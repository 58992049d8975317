import type { Law } from '../../law/law.js';

/** Laws of every mechanism. */
export const mechanismLaws: readonly Law<'mechanism'>[] = [];
