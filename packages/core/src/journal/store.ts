/**
 * Where the bytes of a log go: a file, a database cell, memory. One writer at a time: of the logs that are open on one such
 * object the first to write goes on alone. A medium that can be opened twice has to refuse the second writer by itself.
 */
export interface Store {
  /** All bytes so far, as a copy. */
  read(): Uint8Array;
  /** Returns only when the bytes are as safe as the medium makes them. Throws `Corrupt` when another writer has been here. */
  append(bytes: Uint8Array): void;
  /** Cuts everything after the first `length` bytes. */
  truncate(length: number): void;
  /** Puts `bytes` in place of everything, atomically. */
  replace(bytes: Uint8Array): void;
}

/** A store that lives as long as the process. */
export function memoryStore(initial: Uint8Array = new Uint8Array(0)): Store {
  let bytes = initial.slice();
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
    truncate(length) { used = Math.min(used, length); },
    replace(all) { bytes = all.slice(); used = all.length; },
  };
}
