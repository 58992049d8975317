export type * from './effect.js';
export { openLedger, type Ledger, type LedgerOptions, type Reservation, type RunRecord } from './ledger.js';
export type { Limit } from './limits.js';
