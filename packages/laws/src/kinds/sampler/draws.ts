import { Unsupported, type RandomSource, type SamplerSpec } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';

/** Numbers of slots tested by the laws; those a sampler refuses are left out. */
export const slotCounts: readonly number[] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 33, 40, 64, 100, 129, 200, 400, 1000, 1003, 2000, 5000,
];

/** One draw; `undefined` if the sampler refuses that many slots with a typed error. */
export const drawn = (
  { plugin, params }: Subject<'sampler'>,
  slots: number,
  random: RandomSource,
): Uint32Array | undefined =>
  (attempt(() => plugin.draw(params, slots, random)) as { readonly value?: Uint32Array }).value;

/** The numbers of slots that the sampler supports. */
export const slotsTaken = (subject: Subject<'sampler'>, random: RandomSource): readonly number[] =>
  slotCounts.filter((slots) => drawn(subject, slots, random.fork(slots)) !== undefined);

/**
 * Whether draws may repeat positions: true if the declared sampler is sampling with replacement under every
 * adjacency. A curator uses the sampler for the adjacency of its run.
 */
export function repeats({ plugin, params }: Subject<'sampler'>, slots: number): boolean {
  const declared = attempt(() => Object.values(plugin.amplification(params, slots)));
  return (
    declared.declined === undefined &&
    declared.value.length > 0 &&
    declared.value.every(({ sampler }) => sampler?.kind === 'core/fixed-size' && sampler.replacement)
  );
}

/** Probabilities of participation of a few slots, of multiplicities, and of sizes. */
export interface Participation {
  /** Probability that a given set of `taken` among `of` slots participates and the others do not. */
  pattern(taken: number, of: number): number;
  /** Probability of these multiplicities of the slots. */
  whole(occurrences: readonly number[]): number;
  /** Probability that a given slot occurs `times` times. */
  occurring(times: number): number;
  /** Probability of a batch of `size`, and the largest possible size. */
  size(size: number): number;
  readonly largest: number;
  readonly expected: number;
}

/** Participation under the declared sampler of a single draw; random allocation has none. */
export function participationOf(spec: SamplerSpec, slots: number): Participation {
  if (spec.kind === 'core/random-allocation')
    throw new Unsupported('core/random-allocation is the distribution of a partition, not of a draw', {});
  if (spec.kind === 'core/fixed-size' && spec.replacement) return withReplacement(spec.size, slots);
  const once =
    (inclusion: number) =>
    (times: number): number =>
      [1 - inclusion, inclusion][times] ?? 0;
  const asPattern =
    (pattern: Participation['pattern']) =>
    (occurrences: readonly number[]): number =>
      occurrences.every((times) => times <= 1)
        ? pattern(occurrences.filter((times) => times === 1).length, occurrences.length)
        : 0;
  if (spec.kind === 'core/poisson') {
    const { rate } = spec;
    const sizes = binomial(slots, rate);
    const pattern: Participation['pattern'] = (taken, of) => rate ** taken * (1 - rate) ** (of - taken);
    return {
      expected: rate * slots,
      largest: slots,
      pattern,
      whole: asPattern(pattern),
      occurring: once(rate),
      size: (size) => sizes[size],
    };
  }
  if (spec.kind === 'core/truncated-poisson') return truncated(spec.rate, spec.most, slots);
  const all = logChoose(slots, spec.size);
  const pattern: Participation['pattern'] = (taken, of) =>
    Math.exp(logChoose(slots - of, spec.size - taken) - all);
  return {
    expected: spec.size,
    largest: slots,
    pattern,
    whole: asPattern(pattern),
    occurring: once(spec.size / slots),
    size: (size) => (size === spec.size ? 1 : 0),
  };
}

/** A Poisson sample, reduced to a uniform subset of size `most` if it is larger. */
function truncated(rate: number, most: number, slots: number): Participation {
  const sizes = binomial(slots, rate);
  const least = Math.min(most, slots);
  const size = (k: number): number => {
    if (k < least) return sizes[k];
    return k === least ? sizes.subarray(least).reduce((sum, chance) => sum + chance, 0) : 0;
  };
  const pattern: Participation['pattern'] = (taken, of) => {
    let chance = 0;
    for (let k = taken; k <= Math.min(least, slots - of + taken); k++)
      chance += size(k) * Math.exp(logChoose(slots - of, k - taken) - logChoose(slots, k));
    return chance;
  };
  const inclusion = pattern(1, 1);
  let expected = 0;
  for (let k = 1; k <= least; k++) expected += k * size(k);
  return {
    expected,
    largest: least,
    pattern,
    size,
    occurring: (times) => [1 - inclusion, inclusion][times] ?? 0,
    whole: (occurrences) =>
      occurrences.every((times) => times <= 1)
        ? pattern(occurrences.filter((times) => times === 1).length, occurrences.length)
        : 0,
  };
}

/** `draws` independent uniform slots. */
function withReplacement(draws: number, slots: number): Participation {
  const times = binomial(draws, 1 / slots);
  return {
    expected: draws,
    largest: Math.max(draws, slots),
    size: (size) => (size === draws ? 1 : 0),
    occurring: (count) => times[count] ?? 0,
    whole: (occurrences) =>
      occurrences.reduce((sum, count) => sum + count, 0) === draws
        ? Math.exp(
            logFactorial(draws) -
              occurrences.reduce((sum, count) => sum + logFactorial(count), 0) -
              draws * Math.log(slots),
          )
        : 0,
    // Draw by draw, the number of distinct given slots so far: sums of positive terms without cancellation.
    pattern(taken, of) {
      let reached = Float64Array.from({ length: taken + 1 }, (_, k) => (k === 0 ? 1 : 0));
      for (let draw = 0; draw < draws; draw++) {
        reached = reached.map(
          (chance, k) => (chance * (slots - of + k) + (k > 0 ? reached[k - 1] * (taken - k + 1) : 0)) / slots,
        );
      }
      return reached[taken];
    },
  };
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? -Infinity : defined(logChooseUpTo(n, Math.min(k, n - k)).at(-1));
}

/** `logChoose(n, k)` for every `k` up to `most`, which is at most half of `n`. */
function logChooseUpTo(n: number, most: number): Float64Array {
  const ways = new Float64Array(most + 1);
  for (let k = 1; k <= most; k++) ways[k] = ways[k - 1] + Math.log((n - k + 1) / k);
  return ways;
}

export function binomial(n: number, rate: number): Float64Array {
  if (rate === 1) return new Float64Array(n + 1).fill(1, n);
  const ways = logChooseUpTo(n, Math.floor(n / 2));
  return Float64Array.from({ length: n + 1 }, (_, k) =>
    Math.exp(ways[Math.min(k, n - k)] + k * Math.log(rate) + (n - k) * Math.log1p(-rate)),
  );
}

/**
 * Ranges of sizes with about equal probability, for power with few
 * draws: the range of each size, and each range's probability.
 */
export function sizeCells({ size, largest }: Pick<Participation, 'size' | 'largest'>): {
  readonly cellOf: Uint32Array;
  readonly probabilities: readonly number[];
} {
  const cellOf = new Uint32Array(largest + 1);
  const probabilities = [0];
  for (let k = 0; k <= largest; k++) {
    if (probabilities[probabilities.length - 1] > 0.08) probabilities.push(0);
    cellOf[k] = probabilities.length - 1;
    probabilities[probabilities.length - 1] += size(k);
  }
  return { cellOf, probabilities };
}
