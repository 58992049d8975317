import { Corrupt } from '@lethe/numerics';
import type { Store } from './store.js';

/** How many writes of logs each store has seen in this process. */
const writes = new WeakMap<Store, number>();

/**
 * Lets one of the logs that are open on a store write to it: once another has written, what this one knows of the store is
 * out of date. Reading hinders nobody. Stores that can be opened twice have to see to it by themselves as well.
 *
 * @returns a function that carries out a write. @throws {Corrupt} from it, with nothing written.
 */
export function oneWriter(store: Store, magic: string): (write: () => void) => void {
  let seen = writes.get(store) ?? 0;
  return (write) => {
    if ((writes.get(store) ?? 0) !== seen) throw new Corrupt(`log '${magic}': another log or ledger that is open on the same store has written to it; nothing was written. A store has one writer: open it again when the other has ended.`, { magic });
    // Counted before, since a write that fails leaves nobody knowing what is stored.
    writes.set(store, ++seen);
    write();
  };
}
