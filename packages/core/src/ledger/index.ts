export type * from './effect.js';
export { openLedger, type Ledger, type LedgerOptions, type Limit, type RunRecord } from './ledger.js';
