import type { Law } from '../../law/law.js';

/** Laws of every solver. */
export const solverLaws: readonly Law<'solver'>[] = [];
