import type { Law } from '../../law/law.js';

/** Laws of every localRandomiser. */
export const localRandomiserLaws: readonly Law<'localRandomiser'>[] = [];
