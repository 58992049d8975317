import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { enumerate, probabilities, type Outcome } from '../../engines/exhaustive-random.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';
import { batchOfEach, partitioned } from './allocation.js';
import { drawn, slotCounts } from './draws.js';

type Sampler = Subject<'sampler'>;
/** Batch of each slot, −1 for none; `undefined` if that many slots are refused. */
type Places = (slots: number, random: RandomSource) => Int32Array | undefined;

const inOneDraw =
  (subject: Sampler): Places =>
  (slots, random) => {
    const draw = drawn(subject, slots, random);
    const places = new Int32Array(slots).fill(-1);
    for (const position of draw ?? []) places[position] = 0;
    return draw && places;
  };
const inPartition =
  (subject: Sampler): Places =>
  (slots, random) => {
    const partition = partitioned(subject, slots, random);
    return partition && batchOfEach(partition, slots);
  };

/** Outcomes with probabilities: all of them if enumerable, or the only one if deterministic; else `null`. */
function distributionOf(
  places: Places,
  slots: number,
  random: RandomSource,
): readonly Outcome<Int32Array>[] | null {
  const place = (source: RandomSource): Int32Array => defined(places(slots, source));
  const listed = slots <= 6 ? enumerate(place) : null;
  if (listed !== null) return listed;
  const few = Array.from({ length: 8 }, (_, i) => place(random.fork(i)));
  return few.every((other) => other.join() === few[0].join())
    ? [{ value: few[0], probability: 1, outOf: 1 }]
    : null;
}

const textOf = (places: ArrayLike<number>): string => {
  const batches = new Map<number, number[]>();
  Array.from(places).forEach((batch, slot) => {
    if (batch >= 0) batches.set(batch, [...(batches.get(batch) ?? []), slot]);
  });
  return `{${[...batches]
    .toSorted(([a], [b]) => a - b)
    .map(([batch, slots]) => `${batch === 0 ? '' : `batch ${batch}: `}${slots.join(', ')}`)
    .join('; ')}}`;
};

function unmoved(places: Places, random: (label: string) => RandomSource): Finding {
  let samples = 0;
  const taken = slotCounts.filter(
    (count) => count >= 2 && count <= 40 && places(count, random('slots').fork(count)) !== undefined,
  );
  for (const slots of taken) {
    if (places(slots - 1, random('after')) === undefined) continue;
    const before = distributionOf(places, slots, random('before'));
    const after = distributionOf(places, slots - 1, random('after'));
    if (before === null || after === null) continue;
    for (let removed = 0; removed < slots; removed++) {
      samples++;
      // The other slots, renumbered after the removal.
      const expected = probabilities(before, (all) => textOf(all.filter((_place, slot) => slot !== removed)));
      const found = probabilities(after, textOf);
      const batch = [...expected.keys(), ...found.keys()].find(
        (records) => Math.abs((expected.get(records) ?? 0) - (found.get(records) ?? 0)) > 1e-12,
      );
      if (batch === undefined) continue;
      return fails(samples, {
        what:
          `of ${slots} slots, the batches of the others are ${batch} (slots numbered without record ` +
          `${removed}) with probability ${expected.get(batch) ?? 0}; once record ${removed} is gone, ` +
          `with probability ${found.get(batch) ?? 0}`,
        measured: found.get(batch) ?? 0,
        allowed: expected.get(batch) ?? 0,
        input: { slots, removed },
      });
    }
  }
  return holds(samples);
}

type Terms = Sampler['plugin']['amplification'];

/** The reason why there is nothing to check, from the first number of slots that supports add-remove. */
function withoutRemoval(terms: Terms, { params }: Sampler): string | undefined {
  try {
    const declared = slotCounts
      .map((slots) => attempt(() => terms(params, slots)['add-remove']))
      .find((found) => found.declined === undefined && found.value !== undefined);
    if (declared === undefined || declared.declined !== undefined) return 'add-remove is unsupported';
    return defined(declared.value).sampler === null
      ? undefined
      : 'it declares an amplification; see the other laws';
  } catch {
    // A plugin that throws here is tested again in the check.
    return undefined;
  }
}

const power =
  'a record whose batch depends on another record: with probability 1e-12 up to 6 slots for enumerable ' +
  'outcomes, with probability 1 up to 40 slots; other outcomes are not tested';

/** Effect of a removal on a draw without amplification. */
export const removal = defineLaw<'sampler'>({
  id: 'sampler/removal',
  kind: 'sampler',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'under add-remove without amplification, the removal of a record ' +
    'removes it from the batch and changes nothing else',
  power,
  exempt: (subject) => withoutRemoval((...asked) => subject.plugin.amplification(...asked), subject),
  check: (subject, env) => unmoved(inOneDraw(subject), env.random),
});

/** Effect of a removal on a partition without amplification. */
export const partitionRemoval = defineLaw<'sampler'>({
  id: 'sampler/partition-removal',
  kind: 'sampler',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'under add-remove without amplification, the removal of a record ' +
    'removes it from its batch and changes nothing else',
  power,
  exempt: (subject) =>
    subject.plugin.partition === undefined
      ? 'it has no partition'
      : withoutRemoval((...asked) => defined(subject.plugin.partition).amplification(...asked), subject),
  check: (subject, env) => unmoved(inPartition(subject), env.random),
});
