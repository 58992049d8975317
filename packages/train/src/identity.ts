import type { Table } from '@lethe/losses';
import { encode, keyedHasher } from '@lethe/numerics';

/** Bytes that tell the records of a table from others: a hash of the names and values of all its columns. */
export function identityOf({ names, columns, rows }: Table): Uint8Array {
  const hasher = keyedHasher(new TextEncoder().encode('lethe/train/data'));
  for (const name of names.toSorted()) {
    const column = columns.get(name);
    if (column === undefined) continue;
    hasher.update(encode({ name, rows }));
    hasher.update(
      column instanceof Float64Array
        ? new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
        : encode([...column]),
    );
  }
  return hasher.digest();
}
