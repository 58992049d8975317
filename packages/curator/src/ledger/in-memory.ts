import { assertOptions, Unsupported } from '@lethe/numerics';
import type { Ledger, LedgerOptions } from './contract.js';
import { keepLedger } from './keep-ledger.js';

/**
 * `openLedger` without a store, for pages whose script has to stay small: it has no code for stored ledgers.
 *
 * @throws {InvalidParameter} when an option is not valid.
 * @throws {Unsupported} for a store.
 */
export function ledgerInMemory(options: Omit<LedgerOptions, 'store'>): Ledger {
  assertOptions(options, 'ledgerInMemory');
  if ('store' in options && options.store !== undefined)
    throw new Unsupported('ledgerInMemory keeps no store; open a stored ledger with openLedger', {});
  return keepLedger(options, null);
}
