import type { Law } from '../../law/law.js';

/** Laws of every event. */
export const eventLaws: readonly Law<'event'>[] = [];
