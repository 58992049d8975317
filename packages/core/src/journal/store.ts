/**
 * Storage for the bytes of a log: a file, a database cell or memory. One writer at a time: among the logs
 * open on one store object, only the first writer may continue. A store whose medium can be opened twice must
 * refuse the second writer.
 */
export interface Store {
  /** All bytes so far, as a copy. */
  read(): Uint8Array;
  /**
   * Returns only when the bytes are durable on the medium. They change afterwards: a store copies what it
   * keeps. Throws `Corrupt` when another writer has appended.
   */
  append(bytes: Uint8Array): void;
  /** Removes all bytes after the first `length`. */
  truncate(length: number): void;
  /** Replaces all bytes atomically. */
  replace(bytes: Uint8Array): void;
}

/** A store in memory. */
export function memoryStore(initial: Uint8Array = new Uint8Array(0)): Store {
  // A slice of a Buffer would be a view of it.
  let bytes = new Uint8Array(initial);
  let used = initial.length;
  return {
    read: () => bytes.slice(0, used),
    append(more) {
      if (used + more.length > bytes.length) {
        const wider = new Uint8Array(Math.max(2 * bytes.length, used + more.length));
        wider.set(bytes.subarray(0, used));
        bytes = wider;
      }
      bytes.set(more, used);
      used += more.length;
    },
    truncate(length) {
      used = Math.min(used, length);
    },
    replace(all) {
      bytes = all.slice();
      used = all.length;
    },
  };
}
