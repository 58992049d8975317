import type { Law } from '../../law/law.js';

/** Laws of every meanOracle. */
export const meanOracleLaws: readonly Law<'meanOracle'>[] = [];
