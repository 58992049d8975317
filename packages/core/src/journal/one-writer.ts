import { Corrupt } from '@lethe/numerics';
import type { Store } from './store.js';

/** Number of log writes to each store in this process. */
const writes = new WeakMap<Store, number>();

/**
 * Allows one writer among the logs open on a store: after another log has written, this log's state is out of
 * date. Reading is always allowed. A store whose medium can be opened twice must add a check of its own.
 *
 * @returns a function that runs a write. It throws {@link Corrupt}, with nothing written, for a second
 * writer.
 */
export function oneWriter(store: Store, magic: string): (write: () => void) => void {
  let ownWrites = writes.get(store) ?? 0;
  return (write) => {
    if ((writes.get(store) ?? 0) !== ownWrites)
      throw new Corrupt(
        `log '${magic}': another log or ledger has written to the same store; nothing was written. ` +
          'A store has one writer: open it again when the other has ended.',
        { magic },
      );
    // Counted before the write: after a failed write the stored bytes are unknown.
    writes.set(store, ++ownWrites);
    write();
  };
}
