import type { Law } from '../../law/law.js';

/** Laws of every ledger. */
export const ledgerLaws: readonly Law<'ledger'>[] = [];
