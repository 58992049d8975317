import { settleRef } from '@lethe/core/internal';
import { ownCopy } from '@lethe/numerics';
import { checkDataInput, type Attaching } from './check-data.js';
import type { DataInput, StoredInput, TakenIn } from './data-input.js';

/** The input with every field read once, and all but the arrays and stores of records copied. */
export function takenIn(input: DataInput, by: 'attachData' | 'attachDense'): TakenIn<DataInput>;
export function takenIn(input: StoredInput, by: 'attachStored'): TakenIn<StoredInput>;
export function takenIn(input: DataInput | StoredInput, by: Attaching): TakenIn<DataInput | StoredInput> {
  // What is no record at all is refused as it is.
  const own = typeof input === 'object' && input !== null ? { ...input } : input;
  checkDataInput(own, by);
  const { loss, registry, domain = {}, outside = 'reject', unreadable = 'reject', identity } = own;
  return {
    ...own,
    outside,
    unreadable,
    loss: settleRef(ownCopy(loss)),
    registry: Object.freeze([...registry]),
    domain: ownCopy(domain),
    ...(identity === undefined ? {} : { identity: [...identity] }),
  };
}
