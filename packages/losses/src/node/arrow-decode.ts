import { tableFromIPC, type Table as ArrowTable } from 'apache-arrow';
import { ByteBuffer } from 'flatbuffers';

/** Every vector's length passes through this method of the metadata reader. */
const entryPoint = '__vector_len';

/**
 * `tableFromIPC` for bytes that may be damaged. The library believes every length that the metadata state,
 * and a wrong one can keep it busy for years; here all vectors of the metadata together may have four entries
 * per byte of the file.
 *
 * The check sits in the metadata reader's prototype while the (synchronous) decoding runs, and only then.
 *
 * @throws what the library throws, or a `RangeError` for lengths that the bytes cannot hold.
 */
export function decodeArrow(bytes: Uint8Array): ArrowTable {
  const { prototype } = ByteBuffer;
  const vectorLength = prototype[entryPoint];
  let allowed = 64 + 4 * bytes.length;
  prototype[entryPoint] = function bounded(this: ByteBuffer, offset: number): number {
    const length = vectorLength.call(this, offset);
    allowed -= Math.max(length, 1);
    if (length < 0 || allowed < 0) throw new RangeError('a length in the metadata is larger than the file');
    return length;
  };
  try {
    const table = tableFromIPC(bytes);
    if (table.numRows > 8 * bytes.length)
      throw new RangeError(`${table.numRows} rows do not fit into ${bytes.length} bytes`);
    return table;
  } finally {
    prototype[entryPoint] = vectorLength;
  }
}
