import type { RandomSource } from '@lethe/core';
import { enumerate, probabilities, type Outcome } from '../../engines/exhaustive-random.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';
import { batchOfEach, partitioned } from './allocation.js';
import { drawn, slotCounts } from './draws.js';

type Sampler = Subject<'sampler'>;
/** Where each slot goes: the number of its batch, −1 for none; `undefined` where that many slots are declined. */
type Places = (slots: number, random: RandomSource) => Int32Array | undefined;

const inOneDraw = (subject: Sampler): Places => (slots, random) => {
  const draw = drawn(subject, slots, random), places = new Int32Array(slots).fill(-1);
  for (const position of draw ?? []) places[position] = 0;
  return draw && places;
};
const inPartition = (subject: Sampler): Places => (slots, random) => {
  const partition = partitioned(subject, slots, random);
  return partition && batchOfEach(partition, slots);
};

/** What happens, with probabilities: all that can where coins can be listed, or the one thing that does whatever they are; `null` otherwise. */
function distributionOf(places: Places, slots: number, random: RandomSource): readonly Outcome<Int32Array>[] | null {
  const place = (source: RandomSource): Int32Array => places(slots, source)!;
  const listed = slots <= 6 ? enumerate(place) : null;
  if (listed !== null) return listed;
  const few = Array.from({ length: 8 }, (_, i) => place(random.fork(i)));
  return few.every((other) => other.join() === few[0]!.join()) ? [{ value: few[0]!, probability: 1, outOf: 1 }] : null;
}

const textOf = (places: ArrayLike<number>): string => {
  const batches = new Map<number, number[]>();
  Array.from(places).forEach((batch, slot) => { if (batch >= 0) batches.set(batch, [...batches.get(batch) ?? [], slot]); });
  return `{${[...batches].toSorted(([a], [b]) => a - b).map(([batch, slots]) => `${batch === 0 ? '' : `batch ${batch}: `}${slots.join(', ')}`).join('; ')}}`;
};

function unmoved(places: Places, random: (label: string) => RandomSource): Finding {
  let samples = 0;
  const taken = slotCounts.filter((count) => count >= 2 && count <= 40 && places(count, random('slots').fork(count)) !== undefined);
  for (const slots of taken) {
    if (places(slots - 1, random('after')) === undefined) continue;
    const before = distributionOf(places, slots, random('before')), after = distributionOf(places, slots - 1, random('after'));
    if (before === null || after === null) continue;
    for (let removed = 0; removed < slots; removed++) {
      samples++;
      // The others, by the slots they have once it is gone.
      const expected = probabilities(before, (all) => textOf(all.filter((_place, slot) => slot !== removed))), found = probabilities(after, textOf);
      const batch = [...expected.keys(), ...found.keys()].find((records) => Math.abs((expected.get(records) ?? 0) - (found.get(records) ?? 0)) > 1e-12);
      if (batch === undefined) continue;
      return fails(samples, { what: `of ${slots} slots, the others go to ${batch} (slots counted without record ${removed}) with probability ${expected.get(batch) ?? 0}; once record ${removed} is gone, they do with probability ${found.get(batch) ?? 0}`, measured: found.get(batch) ?? 0, allowed: expected.get(batch) ?? 0, input: { slots, removed } });
    }
  }
  return holds(samples);
}

type Terms = Sampler['plugin']['amplification'];

/** Why there is nothing to check: the first number of slots at which add-remove is supported tells. */
function withoutRemoval(terms: Terms, { params }: Sampler): string | undefined {
  try {
    const declared = slotCounts.map((slots) => attempt(() => terms(params as never, slots)['add-remove'])).find((found) => found.declined === undefined && found.value !== undefined);
    if (declared === undefined || declared.declined !== undefined) return 'add-remove is unsupported';
    return declared.value!.sampler === null ? undefined : 'its law is declared, and checked';
  } catch {
    // A plugin that breaks here is asked again, where it is a finding.
    return undefined;
  }
}

const power = 'any record that comes or goes with another: with probability 1e-12 up to 6 slots where coins can be listed, for certain up to 40 slots; what cannot be listed is not judged';

/** What one removal does to a draw that is not amplified. */
export const removal = defineLaw<'sampler'>({
  id: 'sampler/removal', kind: 'sampler', tier: 'exact', invariant: 'I-6',
  statement: 'under add-remove, where nothing is amplified, removing a record takes it out of the batch and changes nothing else',
  power,
  exempt: (subject) => withoutRemoval((...asked) => subject.plugin.amplification(...asked), subject),
  check: (subject, env) => unmoved(inOneDraw(subject), env.random),
});

/** What one removal does to a deal that is not amplified. */
export const partitionRemoval = defineLaw<'sampler'>({
  id: 'sampler/deal-removal', kind: 'sampler', tier: 'exact', invariant: 'I-6',
  statement: 'under add-remove, where a deal is not amplified, removing a record takes it out of its batch and changes no batch besides',
  power,
  exempt: (subject) => (subject.plugin.partition === undefined ? 'it does not deal' : withoutRemoval((...asked) => subject.plugin.partition!.amplification(...asked), subject)),
  check: (subject, env) => unmoved(inPartition(subject), env.random),
});
