import type { Adjacency } from '@lethe/core';
import { InvalidParameter } from '@lethe/numerics';
import type { StoredBatch } from '../ledger/index.js';
import { rootPartition } from '../ledger/tally.js';

/**
 * The batch of all records.
 *
 * @param publicSlots - The number to divide by where that of the slots is private.
 * @throws {InvalidParameter} when it is missing under add-remove, no
 * whole number, or another than the slots where these are public.
 */
export function rootBatch(slots: number, adjacency: Adjacency, publicSlots: number | undefined): StoredBatch {
  const hidden = adjacency === 'add-remove';
  if (hidden && publicSlots === undefined)
    throw new InvalidParameter(
      'under add-remove the number of records is private; give publicSlots, a public guess to divide by',
      { adjacency },
    );
  if (publicSlots !== undefined && !(Number.isSafeInteger(publicSlots) && publicSlots > 0))
    throw new InvalidParameter(`publicSlots is ${publicSlots}; it must be a positive whole number`, {
      publicSlots,
    });
  if (!hidden && publicSlots !== undefined && publicSlots !== slots)
    throw new InvalidParameter(
      `publicSlots is ${publicSlots}, but under ${adjacency} the number of slots is public: ${slots}`,
      { publicSlots, slots },
    );
  return {
    id: 'everyone',
    stretch: { space: rootPartition, from: 0, to: slots },
    normaliser: publicSlots ?? slots,
    size: hidden ? 'hidden' : 'exact',
    scope: null,
  };
}
