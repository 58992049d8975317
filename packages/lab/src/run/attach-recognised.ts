import { Corrupt, type DataSet } from '@lethe/core';
import type { Source } from './ledger-path.js';

/**
 * Attaches records under the bytes by which their ledger recognises them: the digest of the records, or, in
 * ledgers begun by versions that went by it, the content of their file.
 *
 * @throws {Corrupt} when the ledger belongs to other data.
 */
export function attachRecognised(
  { bytes, file }: Source,
  attach: (identity: Uint8Array) => DataSet,
): DataSet {
  if (file === undefined) return attach(bytes);
  try {
    return attach(file.digest);
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    return attach(bytes);
  }
}
