import type { Law } from '../../law/law.js';

/** Laws of every curator. */
export const curatorLaws: readonly Law<'curator'>[] = [];
