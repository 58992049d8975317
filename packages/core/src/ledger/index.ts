export type * from './effect.js';
export type { Ledger, LedgerOptions, Reservation, RunRecord } from './contract.js';
export { openLedger } from './ledger.js';
export type { Limit } from './limits.js';
