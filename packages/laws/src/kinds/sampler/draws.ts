import type { RandomSource, SamplerSpec } from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';

/** Numbers of slots that laws try; those a sampler declines are left out. */
export const slotCounts: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 40, 64, 100, 200, 400, 1000, 2000, 5000];

/** One draw; `undefined` where the sampler declines that many slots with a typed error. */
export const drawn = ({ plugin, params }: Subject<'sampler'>, slots: number, random: RandomSource): Uint32Array | undefined =>
  (attempt(() => plugin.draw(params as never, slots, random)) as { readonly value?: Uint32Array }).value;

/** The numbers of slots from which the sampler draws. */
export const slotsTaken = (subject: Subject<'sampler'>, random: RandomSource): readonly number[] => slotCounts.filter((slots) => drawn(subject, slots, random.fork(slots)) !== undefined);

/** What a law of participation says of any few slots and of the size. */
export interface Participation {
  /** Probability that of `of` given slots a given `taken` take part and the others do not. */
  pattern(taken: number, of: number): number;
  /** Probability of a batch of `size`. */
  size(size: number): number;
  readonly expected: number;
}

/** The law that an accountant amplifies by, for draws from `slots`. Draws with replacement repeat positions, which no draw may. */
export function participationOf(spec: SamplerSpec, slots: number): Participation {
  if (spec.kind !== 'core/fixed-size') {
    // Of records dealt to batches, each is in a given one with probability 1/steps, whatever the others do.
    const rate = spec.kind === 'core/poisson' ? spec.rate : 1 / spec.steps;
    const sizes = binomial(slots, rate);
    return { expected: rate * slots, pattern: (taken, of) => rate ** taken * (1 - rate) ** (of - taken), size: (size) => sizes[size]! };
  }
  const all = logChoose(slots, spec.size);
  return { expected: spec.size, size: (size) => (size === spec.size ? 1 : 0), pattern: (taken, of) => Math.exp(logChoose(slots - of, spec.size - taken) - all) };
}

function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return -Infinity;
  let ways = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways += Math.log((n - i + 1) / i);
  return ways;
}

function binomial(n: number, rate: number): Float64Array {
  if (rate === 1) return new Float64Array(n + 1).fill(1, n);
  return Float64Array.from({ length: n + 1 }, (_, k) => Math.exp(logChoose(n, k) + k * Math.log(rate) + (n - k) * Math.log1p(-rate)));
}

/** Sizes in runs of about equal probability, so that few draws tell one law from another: the run of each size, and each run's probability. */
export function sizeCells({ size }: Participation, slots: number): { readonly cellOf: Uint32Array; readonly probabilities: readonly number[] } {
  const cellOf = new Uint32Array(slots + 1), probabilities = [0];
  for (let k = 0; k <= slots; k++) {
    if (probabilities.at(-1)! > 0.08) probabilities.push(0);
    cellOf[k] = probabilities.length - 1;
    probabilities[probabilities.length - 1]! += size(k);
  }
  return { cellOf, probabilities };
}
