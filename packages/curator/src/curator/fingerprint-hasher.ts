import { keyedHash128, keyedHasher, longHasher, type LongHasher, type Precision } from '@lethe/numerics';
import type { FingerprintForm } from '../ledger/contract.js';

/**
 * The hasher of what a ledger recognises data by, under its key: of an identity, which it has taken already,
 * or else of the records, in sums where the ledger has them. Records of 32 bits have a key of their own, so
 * that none are taken for records of 64; an identity stands for its source, in whatever precision.
 */
export function fingerprintHasher(
  key: Uint8Array,
  {
    isBySums,
    identity,
    precision,
  }: Pick<FingerprintForm, 'isBySums'> & {
    readonly identity: readonly Uint8Array[] | undefined;
    readonly precision: Precision;
  },
): LongHasher {
  if (identity === undefined) {
    const own = precision === 32 ? keyedHash128(key, new TextEncoder().encode('rows of 32 bits')) : key;
    return isBySums ? longHasher(own) : keyedHasher(own);
  }
  const hasher = keyedHasher(key);
  for (const bytes of identity) hasher.update(bytes);
  return hasher;
}
