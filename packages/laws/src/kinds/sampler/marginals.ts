import { adjacencies, seededRandom, type Adjacency, type RandomSource, type SamplerSpec } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { enumerate, probabilities } from '../../engines/exhaustive-random.js';
import {
  boundedMean,
  nonNegativeMean,
  pool,
  type EProcess,
  type Evidence,
  noteTest,
} from '../../evidence/index.js';
import { fails, holds, skipped, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type Cell, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { attempt } from './declined.js';
import { drawn, participationOf, sizeCells, slotsTaken, type Participation } from './draws.js';
import { frequencies } from './frequencies.js';
import { chernoff, repeatedRandomness } from './lags.js';

type Sampler = Subject<'sampler'>;

const specAt = (
  { plugin, params }: Sampler,
  slots: number,
  adjacency: Adjacency,
): SamplerSpec | null | undefined => plugin.amplification(params, slots)[adjacency]?.sampler;

/** A source for the test which numbers of slots are supported. */
const anyRandomness = (): RandomSource => seededRandom('laws/which slots');

/**
 * Adjacencies with different declared samplers, the first of
 * each. A plugin that throws here is tested again in the check.
 */
function declaredLaws(subject: Sampler): readonly Cell[] {
  try {
    return differentLaws(subject);
  } catch {
    return [{ name: 'replace-one', adjacency: 'replace-one' }];
  }
}

function differentLaws(subject: Sampler): readonly Cell[] {
  const seen = new Set<string>();
  const slots =
    slotsTaken(subject, anyRandomness()).find((count) => count >= 4) ??
    slotsTaken(subject, anyRandomness()).at(-1) ??
    1;
  return adjacencies.flatMap((adjacency): readonly Cell[] => {
    const spec = specAt(subject, slots, adjacency);
    const text = JSON.stringify(spec);
    if (spec === undefined || spec === null || seen.has(text)) return [];
    seen.add(text);
    return [{ name: adjacency, adjacency }];
  });
}

/**
 * The first number of slots with at least `low` records in
 * and `low` out on average; else the largest supported one.
 */
function slotsWith(subject: Sampler, low: number, fewest: number): number | undefined {
  const taken = slotsTaken(subject, anyRandomness()).filter((slots) => slots > 0 && slots <= 2000);
  const { plugin, params } = subject;
  const expected = (slots: number): number => plugin.normaliser(params, slots);
  return (
    taken.find((slots) => slots >= fewest && expected(slots) >= low && expected(slots) <= slots - low) ??
    taken.find((slots) => slots >= fewest) ??
    taken.at(-1)
  );
}

/**
 * Few slots, for joint distributions and empty batches; a medium number; many, for small errors of the rate;
 * and more than any block or word has.
 */
const tellingSlots = (subject: Sampler): readonly number[] => {
  const chosen = [
    slotsWith(subject, 0.5, 2),
    slotsWith(subject, 2, 6),
    slotsWith(subject, 16, 6),
    slotsWith(subject, 0.5, 101),
    slotsWith(subject, 0.5, 400),
  ];
  return [...new Set(chosen.filter((slots) => slots !== undefined))];
};

const noLaw = (subject: Sampler): string | undefined =>
  declaredLaws(subject).length === 0 ? 'it declares no amplification' : undefined;

/** All possible multiplicities of `slots` slots in a draw. */
function allOccurrences(
  law: Participation,
  spec: SamplerSpec,
  slots: number,
): readonly (readonly number[])[] {
  const most = spec.kind === 'core/fixed-size' && spec.replacement ? spec.size : 1;
  const ways = (left: number, room: number): readonly (readonly number[])[] =>
    left === 0
      ? [[]]
      : Array.from({ length: Math.min(most, room) + 1 }, (_, times) => times).flatMap((times) =>
          ways(left - 1, room - times).map((rest) => [times, ...rest]),
        );
  return ways(slots, law.largest).filter((occurrences) => law.whole(occurrences) > 0);
}

const textOf = (occurrences: readonly number[]): string =>
  occurrences.flatMap((times, slot) => Array.from({ length: times }, () => slot)).join(', ');

/** Draws have exactly the declared distribution. */
export const exactMarginals = defineLaw<'sampler'>({
  id: 'sampler/subsets',
  kind: 'sampler',
  property: 'marginals',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'where outcomes can be enumerated, every batch has exactly its probability under the declared sampler',
  power: 'a difference in probability above 1e-12, for up to 6 slots',
  exempt: noLaw,
  cells: declaredLaws,
  check(subject, { cell }) {
    let samples = 0;
    for (const slots of slotsTaken(subject, anyRandomness()).filter((count) => count >= 1 && count <= 6)) {
      const spec = specAt(subject, slots, defined(cell.adjacency));
      const outcomes =
        spec == null
          ? null
          : enumerate((random) => drawn(subject, slots, random)?.slice() ?? new Uint32Array());
      if (spec == null || outcomes === null) continue;
      samples += outcomes.length;
      const law = participationOf(spec, slots);
      const found = probabilities(outcomes, (draw) => draw.join(', '));
      const declared = new Map(
        allOccurrences(law, spec, slots).map((occurrences) => [textOf(occurrences), law.whole(occurrences)]),
      );
      for (const batch of new Set([...declared.keys(), ...found.keys()])) {
        const expected = declared.get(batch) ?? 0;
        const measured = found.get(batch) ?? 0;
        if (Math.abs(measured - expected) <= 1e-12) continue;
        return fails(samples, {
          what:
            `of ${slots} slots the batch {${batch}} has probability ${measured}; ` +
            `'${spec.kind}' says ${expected}`,
          measured,
          allowed: expected,
          input: { slots, declared: spec },
        });
      }
    }
    return samples === 0
      ? skipped('its outcomes cannot be enumerated; see sampler/marginals')
      : holds(samples);
  },
});

/** Evidence from draws with one number of slots. */
interface Watch {
  readonly slots: number;
  readonly spec: SamplerSpec;
  readonly looks: readonly { readonly name: string; readonly process: EProcess }[];
  see(draw: Uint32Array): void;
}

/** E-processes against deviations of several statistics, on draws from one number of slots. */
function watch(spec: SamplerSpec, slots: number, randomness: RandomSource): Watch {
  const law = participationOf(spec, slots);
  const { cellOf, probabilities: sizes } = sizeCells(law);
  const few = [...new Set([0, 1, Math.floor(slots / 2), slots - 1])].filter((slot) => slot < slots);
  const patterns = Float64Array.from({ length: 2 ** few.length }, (_, mask) =>
    law.pattern(few.filter((_slot, i) => (mask >> i) & 1).length, few.length),
  );
  const eighths = Math.min(8, slots);
  const inclusion = law.pattern(1, 1);
  const places = Float64Array.from(
    { length: 2 * eighths },
    (_, k) => (k % 2 === 1 ? inclusion : 1 - inclusion) / eighths,
  );
  const twice = [0, 1, 2, 3].map(
    (k) => [inclusion, 1 - inclusion][k >> 1] * [inclusion, 1 - inclusion][k & 1],
  );
  const two = [2, 1, 1, 0].map((taken) => law.pattern(taken, 2));
  const [pattern, size, place, successive, adjacent, pair] = [patterns, sizes, places, twice, two, two].map(
    frequencies,
  ) as [EProcess, EProcess, EProcess, EProcess, EProcess, EProcess];
  // A slot may occur twice only if the declared sampler allows it; three times or more is one case.
  const occurrence = frequencies([
    ...[0, 1, 2].map((times) => law.occurring(times)),
    Math.max(0, 1 - law.occurring(0) - law.occurring(1) - law.occurring(2)),
  ]);
  // Two drawn positions: equal, or in the same eighth. Given the
  // size, all sets or sequences of it are equally likely.
  const repeating = spec.kind === 'core/fixed-size' && spec.replacement;
  const sizesOf = Array.from(
    { length: eighths },
    (_, e) => Math.floor(((e + 1) * slots) / eighths) - Math.floor((e * slots) / eighths),
  );
  const near =
    slots < 2
      ? 0
      : sizesOf.reduce(
          (sum, m) => sum + (m * (m - 1)) / (repeating ? slots * slots : slots * (slots - 1)),
          0,
        );
  const same = repeating ? 1 / slots : 0;
  const eighthOf = new Uint8Array(slots);
  for (let e = 0, at = 0; e < eighths; e++) for (let k = 0; k < sizesOf[e]; k++) eighthOf[at++] = e;
  const together = frequencies([same, near, 1 - same - near]);
  // Whether any slot occurs twice.
  let distinct = 1;
  if (repeating) for (let i = 0; i < spec.size; i++) distinct *= Math.max(0, 1 - i / slots);
  const twiceDrawn = frequencies([1 - distinct, distinct]);
  // Of the draw that is seen, and of the one before it; one array serves all counts.
  let [taken, before] = [new Uint8Array(slots), new Uint8Array(slots)];
  const times = new Uint32Array(slots);
  let hasBefore = false;
  return {
    slots,
    spec,
    looks: [
      { name: `which of the slots ${few.join(', ')} participate`, process: pattern },
      { name: 'the size', process: size },
      { name: 'slots of each eighth', process: place },
      { name: 'a slot in two successive draws from one source', process: successive },
      { name: 'two neighbouring slots', process: adjacent },
      { name: 'two random slots', process: pair },
      { name: 'how often a slot occurs', process: occurrence },
      { name: 'how near two of the positions are', process: together },
      { name: 'whether a slot occurs twice', process: twiceDrawn },
    ],
    see(draw) {
      taken.fill(0);
      times.fill(0);
      let repeats = false;
      for (let i = 0; i < draw.length; i++) {
        const position = draw[i];
        taken[position] = 1;
        times[position]++;
        repeats ||= i > 0 && position === draw[i - 1];
      }
      let mask = 0;
      for (let i = 0; i < few.length; i++) mask |= taken[few[i]] << i;
      pattern.push(mask);
      size.push(cellOf[draw.length]);
      const eighth = randomness.integer(eighths);
      const low = Math.floor((eighth * slots) / eighths);
      const high = Math.floor(((eighth + 1) * slots) / eighths);
      if (draw.length > 1) {
        const one = randomness.integer(draw.length);
        const other = (one + 1 + randomness.integer(draw.length - 1)) % draw.length;
        const [a, b] = [draw[one], draw[other]];
        if (a === b) together.push(0);
        else together.push(eighthOf[a] === eighthOf[b] ? 1 : 2);
      }
      twiceDrawn.push(repeats ? 0 : 1);
      place.push(2 * eighth + taken[low + randomness.integer(high - low)]);
      const slot = randomness.integer(slots);
      occurrence.push(Math.min(3, times[slot]));
      if (slots > 1) {
        const one = randomness.integer(slots - 1);
        const other = (slot + 1 + randomness.integer(slots - 1)) % slots;
        adjacent.push(3 - 2 * taken[one] - taken[one + 1]);
        pair.push(3 - 2 * taken[slot] - taken[other]);
      }
      // Every other pair, for independence of the pairs.
      if (hasBefore) successive.push(3 - 2 * before[slot] - taken[slot]);
      else [taken, before] = [before, taken];
      hasBefore = !hasBefore;
    },
  };
}

function areBelow(draw: Uint32Array, slots: number): boolean {
  for (let i = 0; i < draw.length; i++) if (draw[i] >= slots) return false;
  return true;
}

/** Draws have the declared distribution, as far as samples show. */
export const marginals = defineLaw<'sampler'>({
  id: 'sampler/marginals',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-6',
  statement:
    'draws have the declared distribution: marginal and joint probabilities of positions, ' +
    'the distribution of sizes, and independence between draws',
  power:
    'a batch of fixed size declared as a Poisson sample within 200 draws; an error of 10 % in a rate of ' +
    '½ within 2500, in a rate of 1/50 within 12 000; random numbers reused at any distance in one draw ' +
    'of 2000 slots; batches truncated at a size that 1 of 400 exceeds within 20 000; an error of 0.2 % ' +
    'in a rate of ½ from 131 072 slots; half of 131 072 slots never drawn within 120',
  exempt: noLaw,
  cells: declaredLaws,
  check: (given, env) =>
    alsoElsewhere(given, (subject, effort) => {
      const watches = tellingSlots(subject).flatMap((slots) => {
        const spec = specAt(subject, slots, defined(env.cell.adjacency));
        return spec == null ? [] : [watch(spec, slots, env.random(`looks ${slots}`))];
      });
      if (watches.length === 0) return skipped('it supports no number of slots with a declared sampler');
      const looks = watches.flatMap((one) => one.looks.map((look) => ({ ...look, ...one })));
      const all = pool(looks.map(({ process }) => process));
      const random = env.random('draws');
      const most = env.samples(15_000 * effort);
      const alpha = env.alpha / 7;
      const large =
        largeDraws(subject, defined(env.cell.adjacency), random.fork('large'), {
          alpha: env.alpha / 35,
          draws: Math.min(mostLargeDraws, env.samples(mostLargeDraws * Math.min(1, 2 * effort))),
        }) ??
        sizeTails(subject, defined(env.cell.adjacency), random.fork('sizes'), {
          alpha: env.alpha / 70,
          draws: env.samples(20_000 * effort),
        });
      if (large !== undefined) return fails(1, large);
      // Two draws from each source: the second must be independent of the first.
      for (let i = 0; i < most; i += 2) {
        const turn = i / 2;
        const source = random.fork(turn);
        // Large draws are slow, but have more power each.
        const { slots, see } =
          watches[turn % 8 === 0 ? watches.length - 1 : turn % Math.max(1, watches.length - 1)];
        for (let k = 1; k <= 2; k++) {
          const draw = drawn(subject, slots, source);
          if (draw === undefined || !areBelow(draw, slots))
            return fails(i + k, {
              what: `a draw from ${slots} slots has positions that are not below ${slots}`,
              input: { slots },
            });
          see(draw);
        }
        if (!all.rejects(alpha)) continue;
        const best = looks.reduce((top, look) => (look.process.logE > top.process.logE ? look : top));
        return fails(i + 2, {
          what:
            `draws from ${best.slots} slots do not have the declared distribution ` +
            `${JSON.stringify(best.spec)}; evidence: ${best.name}`,
          witness: best.name,
          logE: all.peak,
          input: { slots: best.slots, declared: best.spec },
        });
      }
      return holds(most);
    }),
});

/** More slots than 16 bits can index, and so many that one draw shows reused random numbers. */
const hugeSlots = 2 ** 17;
const manySlots = 2000;
const mostLargeDraws = 120;
/** The total is looked at after so many draws, and at the end. */
const drawsBetweenLooks = 40;

function largeDraws(
  subject: Sampler,
  adjacency: Adjacency,
  random: RandomSource,
  { alpha, draws }: { readonly alpha: number; readonly draws: number },
): Violation | undefined {
  const spec = specAt(subject, manySlots, adjacency);
  const draw = spec?.kind === 'core/poisson' ? drawn(subject, manySlots, random.fork('lags')) : undefined;
  if (draw !== undefined && spec?.kind === 'core/poisson') {
    const taken = new Uint8Array(manySlots);
    for (const position of draw) taken[position] = 1;
    const repeated = repeatedRandomness(taken, spec.rate ** 2 + (1 - spec.rate) ** 2, alpha / 2);
    if (repeated !== undefined) return repeated;
  }
  const of = attempt(() => specAt(subject, hugeSlots, adjacency));
  const mean = attempt(() => subject.plugin.normaliser(subject.params, hugeSlots));
  if (of.declined !== undefined || of.value == null || mean.declined !== undefined) return undefined;
  const stretch = hugeSlots / 8;
  const most = (mean.value * (1 + 2 ** -30)) / 8;
  const counts = Array.from({ length: 8 }, () => nonNegativeMean({ atMost: most }));
  const all = pool(counts);
  const found = new Float64Array(8);
  let total = 0;
  const places = of.value.kind === 'core/poisson' ? edges(of.value.rate) : undefined;
  const spread = of.value.kind === 'core/fixed-size' && of.value.size > 1 ? gaps(of.value.size) : undefined;
  for (let i = 1; i <= draws; i++) {
    found.fill(0);
    const positions = drawn(subject, hugeSlots, random.fork(i)) ?? new Uint32Array();
    for (let k = 0; k < positions.length; k++) found[Math.floor(positions[k] / stretch)]++;
    places?.see(positions);
    spread?.see(positions);
    for (const { process, what } of [places, spread].filter((one) => one !== undefined))
      if (process.rejects(alpha / 8))
        return { what: `of ${hugeSlots} slots, ${what}`, logE: process.peak, input: { slots: hugeSlots } };
    counts.forEach((process, g) => {
      process.push(found[g]);
    });
    total += found.reduce((sum, count) => sum + count, 0);
    if (
      of.value.kind === 'core/poisson' &&
      of.value.rate < 1 &&
      (i % drawsBetweenLooks === 0 || i === draws) &&
      chernoff(total, i * hugeSlots, of.value.rate) > Math.log(24 / alpha)
    )
      return {
        what:
          `of ${hugeSlots} slots, ${total / i} are drawn on average; the declared sampler says ` +
          `${of.value.rate * hugeSlots}`,
        measured: total / i,
        allowed: of.value.rate * hugeSlots,
        input: { slots: hugeSlots, draws: i },
      };
    if (all.rejects(alpha / 4))
      return {
        what: `of ${hugeSlots} slots, those of some eighths are drawn more often than others`,
        logE: all.peak,
        input: { slots: hugeSlots },
      };
  }
  return undefined;
}

/** A statistic of large draws, and what it would show. */
interface Seen {
  readonly what: string;
  readonly process: Evidence;
  see(positions: Uint32Array): void;
}

/** Whether the first and the last slots take part as often as the rate says. */
function edges(rate: number): Seen {
  const watched = [0, 1, hugeSlots - 2, hugeSlots - 1];
  const parts = watched.map(() => frequencies([rate, 1 - rate]));
  return {
    what: 'the first or the last take part more or less often than the rate says',
    process: pool(parts),
    see(positions) {
      const ends = new Set([positions[0], positions[1], positions.at(-2), positions.at(-1)]);
      watched.forEach((slot, k) => parts[k].push(ends.has(slot) ? 0 : 1));
    },
  };
}

/** Whether a few positions lie next to each other, which is rare. */
function gaps(size: number): Seen {
  const rare = Math.min(1, (size * (size - 1)) / hugeSlots);
  const process = boundedMean({ atMost: rare, lowest: 0, highest: 1 });
  return {
    what: 'positions of one draw lie next to each other more often than they would by chance',
    process,
    see(positions) {
      let isNear = false;
      for (let i = 1; i < positions.length; i++) isNear ||= positions[i] - positions[i - 1] <= 1;
      process.push(Number(isNear));
    },
  };
}

/** Tail sizes so rare that truncation shows in many draws only. */
function sizeTails(
  subject: Sampler,
  adjacency: Adjacency,
  random: RandomSource,
  { alpha, draws }: { readonly alpha: number; readonly draws: number },
): Violation | undefined {
  const slots = slotsWith(subject, 3, 6);
  const spec = slots === undefined ? undefined : specAt(subject, slots, adjacency);
  if (slots === undefined || slots > 400 || spec?.kind !== 'core/poisson') return undefined;
  const { size, largest } = participationOf(spec, slots);
  const rare = 2e-3;
  let cap = largest;
  let above = 0;
  while (cap > 0 && above < rare) above += size(cap--);
  if (!(above < 0.1)) return undefined;
  const process = frequencies([above, 1 - above]);
  for (let i = 0; i < draws; i++) {
    process.push((drawn(subject, slots, random)?.length ?? 0) > cap ? 0 : 1);
    if (process.logE >= Math.log(1 / alpha))
      return {
        what:
          `draws from ${slots} slots are larger than ${cap} with another probability than the ${above} ` +
          `of the declared ${JSON.stringify(spec)}`,
        logE: process.logE,
        input: { slots, draws: i + 1 },
      };
  }
  return undefined;
}

/** The normaliser of a hidden size is its mean. */
export const expectedSize = defineLaw<'sampler'>({
  id: 'sampler/normaliser',
  kind: 'sampler',
  tier: 'statistical',
  statement: 'the normaliser of a hidden size equals its mean',
  power: 'an error of 10 % in the mean within 4000 draws, at an expected size of 2 or more',
  exempt: ({ plugin }) => (plugin.size === 'exact' ? 'the size is exact; see sampler/size' : undefined),
  check: (subject, env) => meanSize(subject, env),
});

function meanSize(subject: Sampler, env: LawEnv): Finding {
  const slots = slotsWith(subject, 4, 6);
  if (slots === undefined) return skipped('it supports no number of slots');
  const mean = subject.plugin.normaliser(subject.params, slots);
  if (!(mean > 0 && mean <= slots))
    return fails(1, {
      what: `a draw from ${slots} slots has 0 to ${slots} positions; their mean cannot be ${mean}`,
      measured: mean,
      input: { slots },
    });
  const random = env.random('draws');
  const most = env.samples(4000);
  const above = boundedMean({ atMost: mean, lowest: -1e-9, highest: slots });
  const below = mean === slots ? null : boundedMean({ atMost: -mean, lowest: -slots - 1e-9, highest: 0 });
  const sides = pool(below === null ? [above] : [above, below]);
  if (below === null) noteTest(env.alpha, Infinity);
  for (let i = 0; i < most; i++) {
    const size = drawn(subject, slots, random.fork(i))?.length ?? 0;
    if (below === null && size < slots)
      return fails(i + 1, {
        what: `a draw has ${size} of ${slots} positions; their mean is declared as ${slots}`,
        measured: size,
        allowed: slots,
        input: { slots },
      });
    above.push(size);
    below?.push(-size);
    if (sides.rejects(env.alpha))
      return fails(i + 1, {
        what:
          `draws from ${slots} slots are ${above.logE > (below?.logE ?? 0) ? 'larger' : 'smaller'} on ` +
          `average than the normaliser, ${mean}`,
        allowed: mean,
        logE: sides.peak,
        input: { slots },
      });
  }
  return holds(most);
}
