export type * from './effect.js';
export type { Ledger, LedgerOptions, Reservation, RunRecord, RunStanding } from './contract.js';
export { ledgerInMemory } from './in-memory.js';
export { openLedger } from './ledger.js';
export type { Limit } from './limits.js';
