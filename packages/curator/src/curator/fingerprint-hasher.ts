import { keyedHasher, longHasher, type LongHasher } from '@lethe/numerics';
import type { FingerprintForm } from '../ledger/contract.js';

/**
 * The hasher of what a ledger recognises data by, under its key: of an identity, which it has taken already,
 * or else of the records, in sums where the ledger has them.
 */
export function fingerprintHasher(
  key: Uint8Array,
  {
    isBySums,
    identity,
  }: Pick<FingerprintForm, 'isBySums'> & { readonly identity: readonly Uint8Array[] | undefined },
): LongHasher {
  if (identity === undefined) return isBySums ? longHasher(key) : keyedHasher(key);
  const hasher = keyedHasher(key);
  for (const bytes of identity) hasher.update(bytes);
  return hasher;
}
