import { accountants, bestOf } from '@lethe/accountants';
import { InvalidParameter, memoryStore, type Adjacency, type EventKind, type Store } from '@lethe/core';
import { openLedger, type Ledger } from '@lethe/curator';

interface Kept {
  readonly adjacency: Adjacency;
  readonly limit?: { readonly epsilon: number; readonly delta: number };
}

/**
 * Opens a copy of a stored ledger under its own adjacency and limit. Writes nothing.
 *
 * @throws {Corrupt} when the bytes are not a ledger, or are damaged.
 * @throws {InvalidParameter} when its limit belongs to a filter of another version.
 */
export const readLedger = (bytes: Uint8Array, kinds: readonly EventKind[]): Ledger =>
  openKept(() => memoryStore(new Uint8Array(bytes)), kinds);

/**
 * Opens a stored ledger under its own adjacency and limit.
 *
 * @param store - Its bytes; asked for again after an attempt with other terms.
 * @throws as {@link readLedger}.
 */
export function openKept(store: () => Store, kinds: readonly EventKind[]): Ledger {
  const open = ({ adjacency, limit }: Kept): Ledger =>
    openLedger({
      adjacency,
      store: store(),
      ...(limit === undefined ? {} : { limit: { ...limit, accountant: bestOf(accountants, kinds) } }),
    });
  // Opening with the wrong adjacency or limit fails with an error that names the right one.
  const opened = (kept: Kept, tells: number): Ledger => {
    try {
      return open(kept);
    } catch (error) {
      if (!(error instanceof InvalidParameter) || tells === 0) throw error;
      const { kept: adjacency = kept.adjacency, limit = kept.limit } = error.details as Partial<{
        kept: Adjacency;
        limit: Kept['limit'];
      }>;
      return opened({ adjacency, ...(limit === undefined ? {} : { limit }) }, tells - 1);
    }
  };
  return opened({ adjacency: 'replace-one' }, 2);
}
