import { keyedHasher, type KeyedHasher } from '@lethe/numerics';

/**
 * The hasher of all that answers depend on: features by rows, labels, nulls, then what else there is. It
 * changes when anything does that an answer could depend on, so that no recorded query is answered again on
 * other records.
 */
export const viewHasher = (): KeyedHasher => keyedHasher(new TextEncoder().encode('lethe/data/view1'));
