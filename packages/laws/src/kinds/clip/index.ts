import type { Law } from '../../law/law.js';

/** Laws of every clip. */
export const clipLaws: readonly Law<'clip'>[] = [];
