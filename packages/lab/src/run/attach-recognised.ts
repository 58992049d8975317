import { Corrupt } from '@lethe/core';
import type { DataSet } from '@lethe/curator';
import type { Source } from './ledger-path.js';

/**
 * Attaches records under the bytes that identify them in their ledger: the digest of the records or, in
 * ledgers
 * of older versions, the content of their file.
 *
 * @throws {Corrupt} when the ledger belongs to other data.
 */
export function attachRecognised(
  { bytes, file }: Source,
  attach: (identity: Uint8Array) => DataSet,
): DataSet {
  if (file === undefined) return attach(bytes());
  try {
    return attach(file.digest);
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    return attach(contentOf(bytes, error));
  }
}

/** The content of the file. One that does not fit into memory is no data of an older ledger. */
function contentOf(bytes: () => Uint8Array, unrecognised: Corrupt): Uint8Array {
  try {
    return bytes();
  } catch {
    throw unrecognised;
  }
}
