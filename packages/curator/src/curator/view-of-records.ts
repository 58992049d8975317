import { keyedHasher, type KeyedHasher, type Precision } from '@lethe/numerics';

/**
 * The hasher of all that answers depend on: features by rows, labels, nulls, then what else there is. It
 * changes when anything does that an answer could depend on, so that no recorded query is answered again on
 * other records.
 */
export const viewHasher = (precision: Precision): KeyedHasher =>
  keyedHasher(new TextEncoder().encode(precision === 32 ? 'lethe/rows32/vw1' : 'lethe/data/view1'));
