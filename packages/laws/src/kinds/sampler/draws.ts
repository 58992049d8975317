import { Unsupported, type RandomSource, type SamplerSpec } from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';

/** Numbers of slots that laws try; those a sampler declines are left out. */
export const slotCounts: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 40, 64, 100, 200, 400, 1000, 2000, 5000];

/** One draw; `undefined` where the sampler declines that many slots with a typed error. */
export const drawn = ({ plugin, params }: Subject<'sampler'>, slots: number, random: RandomSource): Uint32Array | undefined =>
  (attempt(() => plugin.draw(params as never, slots, random)) as { readonly value?: Uint32Array }).value;

/** The numbers of slots from which the sampler draws. */
export const slotsTaken = (subject: Subject<'sampler'>, random: RandomSource): readonly number[] => slotCounts.filter((slots) => drawn(subject, slots, random.fork(slots)) !== undefined);

/**
 * Whether a draw may repeat positions: where the law declared under every adjacency is sampling with replacement. A curator goes by the
 * law of its run's adjacency.
 */
export function repeats({ plugin, params }: Subject<'sampler'>, slots: number): boolean {
  const declared = attempt(() => Object.values(plugin.amplification(params as never, slots)));
  return declared.declined === undefined && declared.value.length > 0
    && declared.value.every(({ sampler }) => sampler?.kind === 'core/fixed-size' && sampler.replacement);
}

/** What a law of participation says of any few slots, of how often one occurs, and of the size. */
export interface Participation {
  /** Probability that of `of` given slots a given `taken` take part and the others do not. */
  pattern(taken: number, of: number): number;
  /** Probability that the slots occur exactly so often. */
  whole(occurrences: readonly number[]): number;
  /** Probability that a given slot occurs exactly so often. */
  occurring(times: number): number;
  /** Probability of a batch of `size`, and the largest there is. */
  size(size: number): number;
  readonly largest: number;
  readonly expected: number;
}

/** The law that an accountant amplifies a single draw from `slots` by; none has that of a deal. */
export function participationOf(spec: SamplerSpec, slots: number): Participation {
  if (spec.kind === 'core/random-allocation') throw new Unsupported('core/random-allocation is the law of a deal, not of a draw', {});
  if (spec.kind === 'core/fixed-size' && spec.replacement) return withReplacement(spec.size, slots);
  const once = (inclusion: number) => (times: number): number => [1 - inclusion, inclusion][times] ?? 0;
  const asPattern = (pattern: Participation['pattern']) => (occurrences: readonly number[]): number =>
    (occurrences.every((times) => times <= 1) ? pattern(occurrences.filter((times) => times === 1).length, occurrences.length) : 0);
  if (spec.kind === 'core/poisson') {
    const { rate } = spec;
    const sizes = binomial(slots, rate);
    const pattern: Participation['pattern'] = (taken, of) => rate ** taken * (1 - rate) ** (of - taken);
    return { expected: rate * slots, largest: slots, pattern, whole: asPattern(pattern), occurring: once(rate), size: (size) => sizes[size]! };
  }
  if (spec.kind === 'core/truncated-poisson') return truncated(spec.rate, spec.most, slots);
  const all = logChoose(slots, spec.size);
  const pattern: Participation['pattern'] = (taken, of) => Math.exp(logChoose(slots - of, spec.size - taken) - all);
  return { expected: spec.size, largest: slots, pattern, whole: asPattern(pattern), occurring: once(spec.size / slots), size: (size) => (size === spec.size ? 1 : 0) };
}

/** A Poisson sample of which, where it is larger than `most`, so many are kept, any as likely as others. */
function truncated(rate: number, most: number, slots: number): Participation {
  const sizes = binomial(slots, rate), least = Math.min(most, slots);
  const size = (k: number): number => (k < least ? sizes[k]! : k === least ? sizes.subarray(least).reduce((sum, chance) => sum + chance, 0) : 0);
  const pattern: Participation['pattern'] = (taken, of) => {
    let chance = 0;
    for (let k = taken; k <= Math.min(least, slots - of + taken); k++) chance += size(k) * Math.exp(logChoose(slots - of, k - taken) - logChoose(slots, k));
    return chance;
  };
  const inclusion = pattern(1, 1);
  let expected = 0;
  for (let k = 1; k <= least; k++) expected += k * size(k);
  return {
    expected, largest: least, pattern, size, occurring: (times) => [1 - inclusion, inclusion][times] ?? 0,
    whole: (occurrences) => (occurrences.every((times) => times <= 1) ? pattern(occurrences.filter((times) => times === 1).length, occurrences.length) : 0),
  };
}

/** `draws` independent uniform slots. */
function withReplacement(draws: number, slots: number): Participation {
  const times = binomial(draws, 1 / slots);
  return {
    expected: draws, largest: Math.max(draws, slots), size: (size) => (size === draws ? 1 : 0), occurring: (count) => times[count] ?? 0,
    whole: (occurrences) => (occurrences.reduce((sum, count) => sum + count, 0) === draws
      ? Math.exp(logFactorial(draws) - occurrences.reduce((sum, count) => sum + logFactorial(count), 0) - draws * Math.log(slots)) : 0),
    // Draw by draw, how many of the given slots were drawn: sums of what is positive lose nothing.
    pattern(taken, of) {
      let reached = Float64Array.from({ length: taken + 1 }, (_, k) => (k === 0 ? 1 : 0));
      for (let draw = 0; draw < draws; draw++) {
        reached = reached.map((chance, k) => (chance * (slots - of + k) + (k > 0 ? reached[k - 1]! * (taken - k + 1) : 0)) / slots);
      }
      return reached[taken]!;
    },
  };
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return -Infinity;
  let ways = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways += Math.log((n - i + 1) / i);
  return ways;
}

export function binomial(n: number, rate: number): Float64Array {
  if (rate === 1) return new Float64Array(n + 1).fill(1, n);
  return Float64Array.from({ length: n + 1 }, (_, k) => Math.exp(logChoose(n, k) + k * Math.log(rate) + (n - k) * Math.log1p(-rate)));
}

/** Sizes in runs of about equal probability, so that few draws tell one law from another: the run of each size, and each run's probability. */
export function sizeCells({ size, largest }: Pick<Participation, 'size' | 'largest'>): { readonly cellOf: Uint32Array; readonly probabilities: readonly number[] } {
  const cellOf = new Uint32Array(largest + 1), probabilities = [0];
  for (let k = 0; k <= largest; k++) {
    if (probabilities.at(-1)! > 0.08) probabilities.push(0);
    cellOf[k] = probabilities.length - 1;
    probabilities[probabilities.length - 1]! += size(k);
  }
  return { cellOf, probabilities };
}
