import { adjacencies, seededRandom } from '@lethe/core';
import { randomFromKey, defined } from '@lethe/numerics';
import { samplerSpecSchema } from '@lethe/core/testing';
import fc from 'fast-check';
import { seeds } from '../../arbitraries/seeds.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { ownDraw, plain } from './amplification.js';
import { doesNotPartition, partitioned, slotsInPartition } from './allocation.js';
import { notRefused } from './declined.js';
import { slotCounts } from './draws.js';
import { badSlots } from './positions.js';

type Sampler = Subject<'sampler'>;

/** Batches of a partition are valid. */
export const partition = defineLaw<'sampler'>({
  id: 'sampler/partition',
  kind: 'sampler',
  tier: 'search',
  invariant: 'I-6',
  statement:
    'a partition has one batch per normaliser, each of ascending positions in [0, slots), ' +
    'pairwise disjoint, of the size of its normaliser if sizes are exact; ' +
    'whether it is refused depends on the number of slots alone',
  power: 'a violation with probability 0.1 at some number of slots from 0 to 70 000',
  exempt: doesNotPartition,
  check(subject, env) {
    const taken = slotsInPartition(subject, env.random('slots'));
    if (taken.every((slots) => slots === 0))
      return fails(slotCounts.length, { what: `it partitions none of ${slotCounts.join(', ')} slots` });
    const { plugin, params } = subject;
    const answered = notRefused(
      badSlots.map((slots) => ({
        call: `a partition of ${slots} slots`,
        run: () => defined(plugin.partition).draw(params, slots, seededRandom('refused')).length,
        input: { slots: String(slots) },
      })),
    );
    if (answered !== undefined) return fails(1, answered);
    return env.forAll(
      fc.record({ slots: fc.constantFrom(...slotCounts), seed: seeds }),
      ({ slots, seed }): Violation | undefined => {
        const batches = partitioned(subject, slots, seededRandom(seed));
        if (slotCounts.includes(slots) && (batches !== undefined) !== taken.includes(slots))
          return { what: `it partitions ${slots} slots with some seeds and refuses with others` };
        return batches === undefined || slots === 0 ? undefined : notAPartition(subject, batches, slots);
        // One case beyond 2^16: positions are 32-bit numbers.
      },
      { runs: 150, examples: [...taken, 70_000].map((slots) => ({ slots, seed: 1 })) },
    );
  },
});

function notAPartition(
  { plugin, params }: Sampler,
  batches: readonly Uint32Array[],
  slots: number,
): Violation | undefined {
  const normalisers = defined(plugin.partition).normalisers(params, slots);
  if (batches.length !== normalisers.length || batches.length === 0)
    return {
      what:
        `it has ${batches.length} batches and ${normalisers.length} normalisers; ` +
        'there is one for each, and at least one',
      measured: batches.length,
      allowed: normalisers.length,
    };
  const owner = new Int32Array(slots).fill(-1);
  for (const [k, batch] of batches.entries()) {
    const normaliser = normalisers[k];
    if (!(normaliser > 0 && normaliser < Infinity))
      return {
        what: `the normaliser of batch ${k} is ${normaliser}; it must be positive and finite`,
        measured: normaliser,
      };
    if (plugin.size === 'exact' && batch.length !== normaliser)
      return {
        what: `batch ${k} has ${batch.length} positions; its size is public and declared as ${normaliser}`,
        measured: batch.length,
        allowed: normaliser,
      };
    const bad = batch.findIndex((position, i) => position >= slots || (i > 0 && position <= batch[i - 1]));
    if (bad >= 0)
      return {
        what:
          `in batch ${k}, position ${batch[bad]} is at index ${bad} after ` +
          `${batch[bad - 1] ?? 'nothing'}; positions ascend and stay below ${slots}`,
      };
    for (const position of batch) {
      if (owner[position] >= 0)
        return {
          what:
            `position ${position} is in batch ${owner[position]} and in batch ${k}: ` +
            'the accountant charges one of them only',
        };
      owner[position] = k;
    }
  }
  return undefined;
}

const sequence = fc.record({
  calls: fc.array(
    fc.record({ slots: fc.constantFrom(...slotCounts.slice(1, 14)), seed: fc.constantFrom(1, 2, 3) }),
    { minLength: 2, maxLength: 8, size: 'max' },
  ),
  seed: seeds,
});

/** Partitions are functions of the randomness. */
export const partitionRandomness = defineLaw<'sampler'>({
  id: 'sampler/partition-coins',
  kind: 'sampler',
  tier: 'search',
  statement:
    'a partition depends on slots and randomness alone, its normalisers on slots alone: earlier ' +
    'partitions, the kind of the source and changes of arrays returned before have no effect',
  power: 'any such dependence within 60 sequences of up to eight partitions',
  exempt: doesNotPartition,
  check: (subject, env) =>
    env.forAll(
      sequence,
      ({ calls, seed }): Violation | undefined => {
        const { plugin, params } = subject;
        const first = new Map<string, string>();
        for (const { slots, seed: randomness } of calls) {
          const key = seededRandom(`${seed} ${randomness}`).key();
          const take = (kind: 'seeded' | 'secure'): readonly Uint32Array[] | undefined =>
            partitioned(subject, slots, randomFromKey(key, kind));
          const textOf = (batches: readonly Uint32Array[] | undefined): string =>
            batches === undefined
              ? 'a typed error'
              : `${batches.map((batch) => `[${batch.join(', ')}]`).join(' ')} over ` +
                `${defined(plugin.partition).normalisers(params, slots).join(', ')}`;
          const batches = take('seeded');
          const text = textOf(batches);
          const label = `${slots} slots, randomness ${randomness}`;
          const others = [textOf(take('seeded')), textOf(take('secure')), first.get(label) ?? text];
          const other = others.find((one) => one !== text);
          if (other !== undefined)
            return {
              what:
                `for equal slots and randomness (${label}) two partitions differ, ` +
                'or a seeded and a secure source differ',
              witness: `${text.slice(0, 200)} then ${other.slice(0, 200)}`,
            };
          partitioned(subject, slots, seededRandom(`other coins than ${seed} ${randomness}`));
          if (textOf(batches) !== text)
            return {
              what: `batches change with the next partition (${label}): both are the same arrays`,
              witness: `${text.slice(0, 200)} then ${textOf(batches).slice(0, 200)}`,
            };
          first.set(label, text);
          batches?.forEach((batch) => {
            batch.fill(0);
          });
        }
        return undefined;
      },
      { runs: 60 },
    ),
});

function wrongTerms({ plugin, params }: Sampler, slots: number): Violation | undefined {
  const all = defined(plugin.partition).amplification(params, slots);
  const batches = defined(plugin.partition).normalisers(params, slots).length;
  const extra = Object.keys(all).find((name) => !adjacencies.some((adjacency) => adjacency === name));
  if (extra !== undefined)
    return { what: `it declares an amplification under '${extra}', which is not an adjacency` };
  for (const adjacency of adjacencies) {
    const declared = all[adjacency];
    if (declared === undefined) continue;
    const { sampler, inner } = declared;
    const input = { slots, adjacency, declared };
    const parsed = sampler === null ? undefined : samplerSpecSchema.safeParse(sampler);
    if (parsed?.success === false)
      return {
        what:
          `under ${adjacency} it declares a sampler no accountant knows: ` +
          `${parsed.error.issues[0]?.message}`,
        input,
      };
    if (sampler !== null && sampler.kind !== 'core/random-allocation')
      return {
        what:
          `under ${adjacency} it declares '${sampler.kind}', the distribution of one draw; ` +
          "batches of a partition are dependent, so that it may declare 'core/random-allocation' or null",
        input,
      };
    if (sampler !== null && (sampler.times ?? 1) !== 1)
      return {
        what: `a slot is in at most one batch of a partition, and it declares ${sampler.times} of them`,
        measured: defined(sampler.times),
        allowed: 1,
        input,
      };
    if (sampler !== null && sampler.steps !== batches)
      return {
        what: `it has ${batches} batches and declares an allocation to ${sampler.steps}`,
        measured: sampler.steps,
        allowed: batches,
        input,
      };
    if (sampler !== null && plugin.size === 'exact' && batches > 1)
      return {
        what: 'the sizes of a random allocation are random and secret; this sampler declares them public',
        input,
      };
    const allowed = (sampler === null ? plain : ownDraw)[adjacency];
    if (!allowed.includes(inner))
      return {
        what:
          `under ${adjacency} the event inside ` +
          `${sampler === null ? 'this partition' : `'${sampler.kind}'`} must be private under ` +
          `${allowed.join(' or ')}; it declares ${inner}`,
        input,
      };
  }
  return undefined;
}

/** The declared amplification of partitions. */
export const partitionAmplification = defineLaw<'sampler'>({
  id: 'sampler/partition-amplification',
  kind: 'sampler',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'under each adjacency a partition declares no amplification, or random allocation with hidden sizes ' +
    'and one step per batch; the inner event is private under an adjacency that covers the change ' +
    'between the batches of neighbours',
  power: 'any wrong entry, at every supported number of slots from 1 to 5000',
  exempt: doesNotPartition,
  check(subject, env) {
    const taken = slotsInPartition(subject, env.random('slots')).filter((slots) => slots > 0);
    for (const [index, slots] of taken.entries()) {
      const violation = wrongTerms(subject, slots);
      if (violation !== undefined) return fails(index + 1, violation);
    }
    return holds(taken.length);
  },
});
