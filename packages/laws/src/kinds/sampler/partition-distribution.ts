import { adjacencies, type RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { enumerate, probabilities } from '../../engines/exhaustive-random.js';
import { boundedMean, pool, type EProcess, noteTest } from '../../evidence/index.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { attempt } from './declined.js';
import { batchOfEach, partitioned, doesNotPartition, slotsInPartition } from './allocation.js';
import { binomial, sizeCells } from './draws.js';
import { frequencies } from './frequencies.js';
import { repeatedRandomness } from './lags.js';

type Sampler = Subject<'sampler'>;

/** Distribution of the batches of any few slots, −1 for none. */
interface PartitionDistribution {
  readonly name: string;
  /** Probability of these batches for the given slots. */
  chance(batches: ArrayLike<number>): number;
  /** Probability of a size of the first batch, and the largest possible size. */
  size(size: number): number;
  readonly largest: number;
}

/** An independent uniform choice for each slot. */
function allocation(steps: number, slots: number): PartitionDistribution {
  const sizes = binomial(slots, 1 / steps);
  return {
    name: `an independent uniform choice among ${steps} batches for every slot`,
    largest: slots,
    size: (size) => sizes[size],
    chance: (batches) => (Array.prototype.includes.call(batches, -1) ? 0 : steps ** -batches.length),
  };
}

/** A uniformly random order, cut into batches of public sizes; the remainder is dropped. */
function shuffle(sizes: readonly number[], slots: number): PartitionDistribution {
  const rest = slots - sizes.reduce((sum, size) => sum + size, 0);
  return {
    name: `a uniformly random order, cut into batches of ${sizes[0]}`,
    largest: slots,
    size: (size) => (size === sizes[0] ? 1 : 0),
    chance(batches) {
      const left = new Map([[-1, rest], ...sizes.entries()]);
      let chance = 1;
      for (let i = 0; i < batches.length; i++) {
        const room = left.get(batches[i]) ?? 0;
        chance *= room / (slots - i);
        left.set(batches[i], room - 1);
      }
      return chance;
    },
  };
}

/**
 * The distribution of partitions of so many slots: the declared
 * one for amplification, or a shuffle if that is claimed.
 */
function distributionOf(
  { plugin, params, claims }: Sampler,
  slots: number,
): PartitionDistribution | undefined {
  const declared = attempt(() => defined(plugin.partition).amplification(params, slots));
  const spec =
    declared.declined === undefined
      ? adjacencies.map((adjacency) => declared.value[adjacency]?.sampler).find((sampler) => sampler != null)
      : undefined;
  if (spec?.kind === 'core/random-allocation') return allocation(spec.steps, slots);
  return claims.some(({ property }) => property === 'partition-distribution')
    ? shuffle(defined(plugin.partition).normalisers(params, slots), slots)
    : undefined;
}

function noLaw(subject: Sampler): string | undefined {
  if (subject.plugin.partition === undefined) return doesNotPartition(subject);
  try {
    return distributionOf(subject, 5000) === undefined
      ? 'it declares no amplification and claims no distribution'
      : undefined;
  } catch {
    // A plugin that throws here is tested again in the check.
    return undefined;
  }
}

/** Partitions have exactly the declared distribution. */
export const exactPartition = defineLaw<'sampler'>({
  id: 'sampler/partition-distribution',
  kind: 'sampler',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'where outcomes can be enumerated, partitions have exactly the declared distribution: ' +
    'random allocation with amplification, a uniformly random order without',
  power: 'a difference in probability above 1e-12, for up to 6 slots',
  exempt: noLaw,
  check(subject, env) {
    let samples = 0;
    for (const slots of slotsInPartition(subject, env.random('slots')).filter(
      (count) => count >= 1 && count <= 6,
    )) {
      const distribution = distributionOf(subject, slots);
      const outcomes =
        distribution === undefined
          ? null
          : enumerate((random) => batchOfEach(partitioned(subject, slots, random) ?? [], slots));
      if (distribution === undefined || outcomes === null) continue;
      samples += outcomes.length;
      let total = 0;
      for (const [text, measured] of probabilities(outcomes, (places) => places.join(', '))) {
        const expected = distribution.chance(text.split(', ').map(Number));
        total += expected;
        if (Math.abs(measured - expected) > 1e-12)
          return fails(samples, {
            what:
              `of ${slots} slots, the batches ${text} (−1: none) have probability ${measured}; ` +
              `${distribution.name} says ${expected}`,
            measured,
            allowed: expected,
            input: { slots },
          });
      }
      if (Math.abs(total - 1) > 1e-12)
        return fails(samples, {
          what:
            `of ${slots} slots, some partitions never occur; ` +
            `${distribution.name} gives them probability ${1 - total}`,
          measured: 0,
          allowed: 1 - total,
          input: { slots },
        });
    }
    return samples === 0
      ? skipped('its outcomes cannot be enumerated; see sampler/partition-frequencies')
      : holds(samples);
  },
});

/** Number of batches distinguished in tests of few slots; the others are merged. */
const toldApart = 3;

interface Watch {
  readonly slots: number;
  readonly name: string;
  readonly looks: readonly { readonly name: string; readonly process: EProcess }[];
  see(partition: readonly Uint32Array[]): void;
}

/** E-processes against deviations of several statistics, on partitions of one number of slots. */
function watch(
  distribution: PartitionDistribution,
  slots: number,
  batches: number,
  randomness: RandomSource,
): Watch {
  const { cellOf, probabilities: sizes } = sizeCells(distribution);
  // None, the first few, the last and any other batch: for one slot, and for two.
  const separate = [
    ...new Set([-1, ...Array.from({ length: Math.min(toldApart, batches) }, (_, k) => k), batches - 1]),
  ];
  const kinds = separate.length + 1;
  const kindOf = (batch: number): number =>
    separate.includes(batch) ? separate.indexOf(batch) : separate.length;
  const one = separate.map((batch) => distribution.chance([batch]));
  const two = separate.map((a) => separate.map((b) => distribution.chance([a, b])));
  const rest = (all: readonly number[], whole: number): number =>
    Math.max(0, whole - all.reduce((sum, p) => sum + p, 0));
  const single = [...one, rest(one, 1)];
  const pairs = two.map((row, k) => [...row, rest(row, one[k])]);
  const column = (k: number): number =>
    rest(
      pairs.map((row) => row[k]),
      single[k],
    );
  const joint = [...pairs.flat(), ...Array.from({ length: kinds }, (_, k) => column(k))];
  const eighths = Math.min(8, slots);
  const place = frequencies(Array.from({ length: eighths * kinds }, (_, k) => single[k % kinds] / eighths));
  const size = frequencies(sizes);
  const neighbours = frequencies(joint);
  const any = frequencies(joint);
  const first = frequencies(single);
  const last = frequencies(single);
  const successive = frequencies(single.flatMap((a) => single.map((b) => a * b)));
  let before: Int32Array | undefined;
  return {
    slots,
    name: distribution.name,
    looks: [
      { name: 'the size of the first batch', process: size },
      { name: 'slots of each eighth', process: place },
      { name: 'two neighbouring slots', process: neighbours },
      { name: 'two random slots', process: any },
      { name: 'the first slot', process: first },
      { name: 'the last slot', process: last },
      { name: 'a slot in two successive partitions from one source', process: successive },
    ],
    see(partition) {
      const places = batchOfEach(partition, slots);
      first.push(kindOf(places[0]));
      last.push(kindOf(places[slots - 1]));
      size.push(cellOf[partition[0].length]);
      const eighth = randomness.integer(eighths);
      const low = Math.floor((eighth * slots) / eighths);
      const high = Math.floor(((eighth + 1) * slots) / eighths);
      place.push(eighth * kinds + kindOf(places[low + randomness.integer(high - low)]));
      const slot = randomness.integer(slots);
      if (slots > 1) {
        const next = randomness.integer(slots - 1);
        const other = (slot + 1 + randomness.integer(slots - 1)) % slots;
        neighbours.push(kindOf(places[next]) * kinds + kindOf(places[next + 1]));
        any.push(kindOf(places[slot]) * kinds + kindOf(places[other]));
      }
      // Every other pair, for independence of the pairs.
      if (before !== undefined) successive.push(kindOf(before[slot]) * kinds + kindOf(places[slot]));
      before = before === undefined ? places : undefined;
    },
  };
}

/**
 * Few slots, for joint distributions; a medium number, with and
 * without a remainder; and more than any block or word has.
 */
function tellingSlots(subject: Sampler, random: RandomSource): readonly number[] {
  const taken = slotsInPartition(subject, random).filter((slots) => slots >= 2 && slots <= 400);
  return [
    ...new Set(
      [taken[0], taken.find((slots) => slots >= 7), taken.find((slots) => slots >= 40), taken.at(-1)].filter(
        (slots) => slots !== undefined,
      ),
    ),
  ];
}

/** Partitions have the declared distribution, as far as samples show. */
export const partitionFrequencies = defineLaw<'sampler'>({
  id: 'sampler/partition-frequencies',
  kind: 'sampler',
  property: 'partition-distribution',
  tier: 'statistical',
  invariant: 'I-6',
  statement:
    'partitions have the declared distribution: marginal and joint probabilities of batches, ' +
    'the distribution of sizes, and independence between partitions',
  power:
    'batches of equal size declared as an allocation to 2 within 200 partitions; ' +
    'a remainder that is always the last slots within 1000; random numbers reused at any distance, ' +
    'or slots left out, in one partition of 2000',
  exempt: noLaw,
  check: (given, env) =>
    alsoElsewhere(given, (subject, effort) => {
      const watches = tellingSlots(subject, env.random('slots')).flatMap((slots) => {
        const distribution = distributionOf(subject, slots);
        return distribution === undefined
          ? []
          : [
              watch(
                distribution,
                slots,
                defined(subject.plugin.partition).normalisers(subject.params, slots).length,
                env.random(`looks ${slots}`),
              ),
            ];
      });
      if (watches.length === 0)
        return skipped('it partitions no number of slots with a declared distribution');
      const looks = watches.flatMap((one) =>
        one.looks.map((look) => ({ ...look, slots: one.slots, law: one.name })),
      );
      const all = pool(looks.map(({ process }) => process));
      const random = env.random('deals');
      const most = env.samples(6000 * effort);
      const alpha = env.alpha / 6;
      const repeated = largePartitions(subject, random.fork('large'), env.alpha / 30);
      if (repeated !== undefined) return fails(1, repeated);
      // Two partitions from each source: the second must be independent of the first.
      for (let i = 0; i < most; i += 2) {
        const turn = i / 2;
        const source = random.fork(turn);
        // Large partitions are slow, but have more power each.
        const { slots, see } =
          watches[turn % 8 === 0 ? watches.length - 1 : turn % Math.max(1, watches.length - 1)];
        for (let k = 1; k <= 2; k++) {
          const partition = partitioned(subject, slots, source);
          if (partition === undefined)
            return fails(i + k, { what: `it now refuses ${slots} slots`, input: { slots } });
          see(partition);
        }
        if (!all.rejects(alpha)) continue;
        const best = looks.reduce((top, look) => (look.process.logE > top.process.logE ? look : top));
        return fails(i + 2, {
          what:
            `partitions of ${best.slots} slots do not have the declared distribution, ` +
            `${best.law}; evidence: ${best.name}`,
          witness: best.name,
          logE: all.peak,
          input: { slots: best.slots },
        });
      }
      return holds(most);
    }),
});

/** Number of slots of a single partition with independent slots. */
const manySlots = 2000;

function largePartitions(subject: Sampler, random: RandomSource, alpha: number): Violation | undefined {
  const { plugin, params } = subject;
  const partition = partitioned(subject, manySlots, random);
  if (partition === undefined) return undefined;
  const spec = adjacencies
    .map((adjacency) => defined(plugin.partition).amplification(params, manySlots)[adjacency]?.sampler)
    .find((sampler) => sampler != null);
  return spec?.kind === 'core/random-allocation'
    ? repeatedRandomness(batchOfEach(partition, manySlots), 1 / spec.steps, alpha)
    : undefined;
}

/** The normalisers of hidden sizes are their means. */
export const partitionNormalisers = defineLaw<'sampler'>({
  id: 'sampler/partition-normalisers',
  kind: 'sampler',
  tier: 'statistical',
  statement: 'the normaliser of each batch of hidden size equals its mean size',
  power:
    'an error of 20 % in a mean within 4000 partitions, at an expected size of 2 or more, ' +
    'in one of the first four batches or the last',
  exempt: (subject) =>
    doesNotPartition(subject) ??
    (subject.plugin.size === 'exact' ? 'sizes are exact; see sampler/partition' : undefined),
  check(subject, env) {
    const slots = slotsInPartition(subject, env.random('slots')).find((count) => count >= 16);
    if (slots === undefined) return skipped('it partitions no number of slots from 16 on');
    const means = defined(subject.plugin.partition).normalisers(subject.params, slots);
    const random = env.random('deals');
    const most = env.samples(4000);
    const watched = [...new Set([0, 1, 2, 3, means.length - 1])]
      .filter((k) => k < means.length)
      .map((k) => {
        const mean = means[k];
        if (!(mean > 0 && mean <= slots)) return { k, mean, sides: null };
        const above = boundedMean({ atMost: mean, lowest: -1e-9, highest: slots });
        return {
          k,
          mean,
          above,
          sides:
            mean === slots
              ? [above]
              : [above, boundedMean({ atMost: -mean, lowest: -slots - 1e-9, highest: 0 })],
        };
      });
    const impossible = watched.find(({ sides }) => sides === null);
    if (impossible !== undefined)
      return fails(1, {
        what:
          `a batch of ${slots} slots has 0 to ${slots} positions; the mean of batch ${impossible.k} ` +
          `cannot be ${impossible.mean}`,
        measured: impossible.mean,
        input: { slots },
      });
    const all = pool(watched.flatMap(({ sides }) => defined(sides)));
    if (watched.some(({ mean }) => mean === slots)) noteTest(env.alpha, Infinity);
    for (let i = 0; i < most; i++) {
      const batches = partitioned(subject, slots, random.fork(i)) ?? [];
      for (const { k, mean, sides } of watched) {
        const size = batches[k]?.length ?? 0;
        if (mean === slots && size < slots)
          return fails(i + 1, {
            what: `batch ${k} has ${size} of ${slots} positions; their mean is declared as ${slots}`,
            measured: size,
            allowed: slots,
            input: { slots },
          });
        defined(sides)[0].push(size);
        defined(sides)[1]?.push(-size);
      }
      if (all.rejects(env.alpha))
        return fails(i + 1, {
          what: `batches of ${slots} slots do not have the normalisers as their mean sizes`,
          logE: all.peak,
          input: { slots, normalisers: means.slice(0, 8) },
        });
    }
    return holds(most);
  },
});
