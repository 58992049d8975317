import { createHash } from 'node:crypto';
import type { LabelledSparseRows } from '../data/libsvm.js';

/**
 * A digest of sparse records: 32 bytes, the same for the same labels and entries in the same rows, however
 * they were written. It is no secret, as that of `recordsDigest` is none.
 */
export function libsvmDigest({
  features: { rows, rowStarts, columnIndices, values },
  labels,
}: LabelledSparseRows): Uint8Array {
  const hash = createHash('sha256').update('lethe/records/libsvm/1');
  for (let row = 0; row < rows; row++) {
    hash.update(`\n${labels[row]}`);
    // An entry of 0 may be written or left out.
    for (let k = rowStarts[row]; k < rowStarts[row + 1]; k++)
      if (values[k] !== 0) hash.update(` ${columnIndices[k]}:${values[k]}`);
  }
  return hash.digest();
}
