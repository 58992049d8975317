import type { RandomSource } from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';
import { slotCounts } from './draws.js';

type Sampler = Subject<'sampler'>;

/** One deal; `undefined` where the sampler declines that many slots with a typed error. */
export const dealt = ({ plugin, params }: Sampler, slots: number, random: RandomSource): readonly Uint32Array[] | undefined =>
  (attempt(() => plugin.deal!.draw(params as never, slots, random)) as { readonly value?: readonly Uint32Array[] }).value;

/** The numbers of slots that it deals out. */
export const slotsDealt = (subject: Sampler, random: RandomSource): readonly number[] => slotCounts.filter((slots) => dealt(subject, slots, random.fork(slots)) !== undefined);

export const doesNotDeal = ({ plugin }: Sampler): string | undefined => (plugin.deal === undefined ? 'it does not deal' : undefined);

/** The number of the batch of each slot, −1 for none. */
export function batchOfEach(deal: readonly Uint32Array[], slots: number): Int32Array {
  const places = new Int32Array(slots).fill(-1);
  deal.forEach((batch, k) => { for (const position of batch) places[position] = k; });
  return places;
}
