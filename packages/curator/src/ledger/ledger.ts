import { assertOptions } from '@lethe/numerics';
import type { Ledger, LedgerOptions } from './contract.js';
import { keepLedger } from './keep-ledger.js';
import { storedLines } from './stored-lines.js';

/**
 * Opens a ledger, new or stored.
 *
 * @throws {Corrupt} when the stored bytes are not a ledger, or are damaged.
 * @throws {InvalidParameter} when its adjacency differs or its limit is tighter, or an option is not valid.
 */
export function openLedger(options: LedgerOptions): Ledger {
  assertOptions(options, 'openLedger');
  const { store, ...rest } = options;
  return keepLedger(rest, store === undefined ? null : () => storedLines(store));
}
