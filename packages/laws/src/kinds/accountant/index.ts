import type { Law } from '../../law/law.js';

/** Laws of every accountant. */
export const accountantLaws: readonly Law<'accountant'>[] = [];
