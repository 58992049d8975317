import { Unsupported, type Participation, type RandomSource, type SampledStream, type SamplerStream } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';

type Sampler = Subject<'sampler'>;

/** The stream of a sampler; its laws are exempt without one. */
export const streamOf = ({ plugin }: Sampler): SamplerStream => defined(plugin.stream);
/** Why laws of streams do not apply. */
export const noStream = ({ plugin }: Sampler): string | undefined =>
  plugin.stream === undefined ? 'it draws no batches of streams' : undefined;

/** A Toeplitz matrix C. */
export interface Matrix {
  readonly name: string;
  readonly coefficients: readonly number[];
}
const squareRoot = [1, 0.5, 0.375, 0.3125, 0.2734375];
/** From no correlation to a running sum; one has a negative entry. */
export const matrices: readonly Matrix[] = [
  { name: 'the identity', coefficients: [1] },
  { name: 'a band of two rows', coefficients: [1, 0.75] },
  { name: 'a square root of the running sum', coefficients: squareRoot },
  { name: 'the running sum', coefficients: [1, 1, 1, 1, 1] },
  { name: 'a band with a negative entry', coefficients: [1, -0.75] },
];

/** A stream of few steps as a sampler sees it; norms are found by trying all patterns of participation. */
export function streamFor({ coefficients }: Matrix, steps: number, sigma: number): SampledStream {
  const entry = (row: number, column: number): number => coefficients[row - column] ?? 0;
  const normOf = (pattern: readonly number[]): number => {
    let square = 0;
    for (let row = 0; row < steps; row++) {
      const sum = pattern.reduce((all, column) => all + Math.abs(entry(row, column)), 0);
      square += sum * sum;
    }
    return Math.sqrt(square) * (1 + 2 ** -40);
  };
  return {
    steps,
    sigma,
    bandwidth: Math.min(steps, coefficients.length),
    encoder: (row, column) => (column > row ? 0 : entry(row, column)),
    columnNorm: ({ times, gap }: Participation) => {
      let most = 0;
      const grow = (pattern: readonly number[]): void => {
        most = Math.max(most, normOf(pattern));
        if (pattern.length === times) return;
        for (let next = (pattern.at(-1) ?? -gap) + gap; next < steps; next++) grow([...pattern, next]);
      };
      grow([]);
      return most;
    },
  };
}

/** The steps at which each slot takes part, as bits; `undefined` where the sampler refuses that many slots. */
export function patternsOf(
  subject: Sampler,
  slots: number,
  steps: number,
  random: RandomSource,
): Uint32Array | undefined {
  const begun = attempt(() => streamOf(subject).begin(subject.params, slots, steps, random));
  if (begun.declined !== undefined) return undefined;
  const patterns = new Uint32Array(slots);
  for (let step = 0; step < steps; step++) for (const slot of begun.value()) patterns[slot] |= 1 << step;
  return patterns;
}

/** Patterns of one slot, in the frequencies of a number of draws. */
export function frequentPatterns(
  subject: Sampler,
  steps: number,
  random: RandomSource,
): ReadonlyMap<number, number> {
  const slots = 4000;
  const drawn = patternsOf(subject, slots, steps, random);
  if (drawn === undefined) throw new Unsupported(`it refuses ${slots} slots`, {});
  const found = new Map<number, number>();
  for (const pattern of drawn) found.set(pattern, (found.get(pattern) ?? 0) + 1 / slots);
  return found;
}

/** What increments of norm 1 a slot sends, given the sums before. */
export interface Adversary {
  readonly name: string;
  increment(step: number, sums: ArrayLike<number>): number;
}
/** Increments that are all alike, that alternate, and that go against the sums so far. */
export const adversaries: readonly Adversary[] = [
  { name: 'equal increments', increment: () => 1 },
  { name: 'alternating increments', increment: (step) => (step % 2 === 0 ? 1 : -1) },
  {
    name: 'increments against the sums so far',
    increment(step, sums) {
      let sum = 0;
      for (let i = 0; i < step; i++) sum += sums[i];
      return sum > 0 ? -1 : 1;
    },
  },
];

/** Noisy sums `Cx + σz` of a slot that takes part at the steps of a pattern; 0 for none. */
export function sumsOf(
  stream: SampledStream,
  adversary: Adversary,
  pattern: number,
  random: RandomSource,
): Float64Array {
  const { steps, sigma, encoder } = stream;
  const sums = random.gaussianInto(new Float64Array(steps));
  const sent = new Float64Array(steps);
  for (let step = 0; step < steps; step++) {
    if ((pattern & (1 << step)) !== 0) sent[step] = adversary.increment(step, sums);
    sums[step] *= sigma;
    for (let j = 0; j <= step; j++) sums[step] += encoder(step, j) * sent[j];
  }
  return sums;
}

/**
 * Logarithm of the density of sums under patterns of these probabilities, over that of the noise alone.
 */
export function mixtureRatio(
  { steps, sigma, encoder }: SampledStream,
  adversary: Adversary,
  patterns: ReadonlyMap<number, number>,
): (sums: ArrayLike<number>) => number {
  const entries = Array.from({ length: steps * steps }, (_, i) => encoder(Math.floor(i / steps), i % steps));
  return (sums) => {
    const sent = Array.from({ length: steps }, (_, step) => adversary.increment(step, sums));
    let total = 0;
    for (const [pattern, probability] of patterns) {
      let exponent = 0;
      for (let row = 0; row < steps; row++) {
        let mean = 0;
        for (let j = 0; j <= row; j++)
          if ((pattern & (1 << j)) !== 0) mean += entries[row * steps + j] * sent[j];
        exponent += mean * (sums[row] - mean / 2);
      }
      total += probability * Math.exp(exponent / (sigma * sigma));
    }
    return Math.log(total);
  };
}
