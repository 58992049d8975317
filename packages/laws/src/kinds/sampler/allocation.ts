import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';
import { slotCounts } from './draws.js';

type Sampler = Subject<'sampler'>;

/** One random partition; `undefined` if the sampler refuses that many slots with a typed error. */
export const partitioned = (
  { plugin, params }: Sampler,
  slots: number,
  random: RandomSource,
): readonly Uint32Array[] | undefined =>
  (
    attempt(() => defined(plugin.partition).draw(params, slots, random)) as {
      readonly value?: readonly Uint32Array[];
    }
  ).value;

/** The numbers of slots that the sampler partitions. */
export const slotsInPartition = (subject: Sampler, random: RandomSource): readonly number[] =>
  slotCounts.filter((slots) => partitioned(subject, slots, random.fork(slots)) !== undefined);

export const doesNotPartition = ({ plugin }: Sampler): string | undefined =>
  plugin.partition === undefined ? 'it has no partition' : undefined;

/** The index of the batch of each slot, −1 for none. */
export function batchOfEach(partition: readonly Uint32Array[], slots: number): Int32Array {
  const places = new Int32Array(slots).fill(-1);
  partition.forEach((batch, k) => {
    for (const position of batch) places[position] = k;
  });
  return places;
}
