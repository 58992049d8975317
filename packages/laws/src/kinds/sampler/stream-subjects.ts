import {
  Unsupported,
  type Participation,
  type RandomSource,
  type SampledStream,
  type SamplerStream,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { noteTest } from '../../evidence/judged.js';
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

/**
 * The steps at which each slot takes part, as bits; `undefined` where the sampler refuses that many slots.
 */
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

/** How often each pattern of one slot is drawn, and how far that is from its probability, two ways. */
export interface Frequencies {
  /** By pattern, for all of `2^steps`. */
  readonly shares: Float64Array;
  /** What every share differs from its probability by, at most, except with probability `alpha`. */
  readonly margin: number;
  /** What the total variation between shares and probabilities is at most, except with that probability. */
  readonly variation: number;
}

/** Patterns of one slot, by the slots of one large draw, which are independent by another law. */
export function frequenciesOf(
  subject: Sampler,
  steps: number,
  alpha: number,
  random: RandomSource,
): Frequencies {
  const slots = 400_000;
  const drawn = patternsOf(subject, slots, steps, random);
  if (drawn === undefined) throw new Unsupported(`it refuses ${slots} slots`, {});
  const shares = new Float64Array(2 ** steps);
  for (const pattern of drawn) shares[pattern] += 1 / slots;
  // Hoeffding's inequality for each pattern.
  const margin = Math.sqrt(Math.log((4 * shares.length) / alpha) / (2 * slots));
  // The inequality of Bretagnolle, Huber and Carol, over all sets of patterns.
  const variation = Math.sqrt((shares.length * Math.LN2 + Math.log(2 / alpha)) / (2 * slots));
  // A test whose margin is half of all is none.
  noteTest(alpha, -Math.log(alpha) / (2 * variation));
  return { shares, margin, variation };
}

/** Whether a slot sends 1 or −1 in each step, given the sums before. */
export interface Adversary {
  readonly name: string;
  increment(step: number, sums: ArrayLike<number>): number;
}
/** Increments of 1 and −1: all alike, alternating, and against the sums so far. */
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

/**
 * For each pattern the density of sums of a slot that takes part in these steps, over that of the noise
 * alone.
 *
 * @param patterns - As bits; the ratios are written in their order. @defaultValue all `2^steps`
 */
export function patternRatios(
  { steps, sigma, encoder }: SampledStream,
  adversary: Adversary,
  patterns: ArrayLike<number> = Array.from({ length: 2 ** steps }, (_, pattern) => pattern),
): (sums: ArrayLike<number>, out: Float64Array) => void {
  /** By the signs of the increments: the means of the sums of each pattern, and half their squared norm. */
  const shifts = new Map<number, { readonly means: Float64Array; readonly halves: Float64Array }>();
  const shiftsFor = (signs: number) => {
    const means = new Float64Array(patterns.length * steps);
    const halves = new Float64Array(patterns.length);
    for (let k = 0; k < patterns.length; k++)
      for (let row = 0; row < steps; row++) {
        let mean = 0;
        for (let j = 0; j <= row; j++)
          if ((patterns[k] & (1 << j)) !== 0)
            mean += (signs & (1 << j)) === 0 ? encoder(row, j) : -encoder(row, j);
        means[k * steps + row] = mean;
        halves[k] += (mean * mean) / 2;
      }
    return { means, halves };
  };
  return (sums, out) => {
    let signs = 0;
    for (let step = 0; step < steps; step++) if (adversary.increment(step, sums) < 0) signs |= 1 << step;
    const known = shifts.get(signs) ?? shiftsFor(signs);
    shifts.set(signs, known);
    const { means, halves } = known;
    for (let k = 0, at = 0; k < patterns.length; k++) {
      let exponent = -halves[k];
      for (let row = 0; row < steps; row++) exponent += means[at++] * sums[row];
      out[k] = Math.exp(exponent / (sigma * sigma));
    }
  };
}

/**
 * `δ(ε)` of the sums of a slot against the noise alone, in both directions, by the trapezoidal rule in as
 * many dimensions as there are steps; the error is below 0.002.
 *
 * @param isReplaced - Against the sums of a slot that sends the opposite, in place of the noise alone.
 */
export function streamProfile(
  stream: SampledStream,
  adversary: Adversary,
  { shares, isReplaced }: { readonly shares: Float64Array; readonly isReplaced: boolean },
  epsilons: readonly number[],
): { readonly present: Float64Array; readonly absent: Float64Array } {
  const { steps, sigma, columnNorm } = stream;
  const reach = 6 + columnNorm({ times: steps, gap: 1 }) / sigma;
  const points = [0, 400, 100, 40][steps];
  const width = (2 * reach) / points;
  const drawn = Array.from(shares.keys()).filter((pattern) => shares[pattern] > 0);
  const ratios = patternRatios(stream, adversary, drawn);
  const opposite = patternRatios(
    stream,
    { name: 'the opposite', increment: (step, sums) => -adversary.increment(step, sums) },
    drawn,
  );
  const each = new Float64Array(drawn.length);
  const ratioBy = (of: typeof ratios): number => {
    of(sums, each);
    let ratio = 0;
    for (let k = 0; k < drawn.length; k++) ratio += shares[drawn[k]] * each[k];
    return ratio;
  };
  const sums = new Float64Array(steps);
  const present = new Float64Array(epsilons.length);
  const absent = new Float64Array(epsilons.length);
  const bounds = epsilons.map(Math.exp);
  for (let i = 0; i < points ** steps; i++) {
    let square = 0;
    for (let step = 0, rest = i; step < steps; step++) {
      const z = -reach + ((rest % points) + 0.5) * width;
      rest = Math.floor(rest / points);
      square += z * z;
      sums[step] = z * sigma;
    }
    const mass = Math.exp(-square / 2) * (width / Math.sqrt(2 * Math.PI)) ** steps;
    const [one, other] = [ratioBy(ratios), isReplaced ? ratioBy(opposite) : 1];
    for (let k = 0; k < bounds.length; k++) {
      present[k] += mass * Math.max(0, one - bounds[k] * other);
      absent[k] += mass * Math.max(0, other - bounds[k] * one);
    }
  }
  return { present, absent };
}

/** What one slot, and how many of the others, do in each step. */
export interface JointOutcome {
  readonly share: number;
  /** 1 at the steps in which the slot takes part. */
  readonly own: readonly number[];
  /** How many other slots take part. */
  readonly others: readonly number[];
}

/** How often each joint outcome is drawn, by streams of their own. */
export function jointFrequencies(
  subject: Sampler,
  { slots, steps, of }: { readonly slots: number; readonly steps: number; readonly of: number },
  alpha: number,
  random: RandomSource,
): { readonly outcomes: readonly JointOutcome[]; readonly variation: number } {
  const draws = 40_000;
  const found = new Map<string, { own: number[]; others: number[]; count: number }>();
  for (let i = 0; i < draws; i++) {
    const next = streamOf(subject).begin(subject.params, slots, steps, random.fork(i));
    const own: number[] = [];
    const others: number[] = [];
    for (let step = 0; step < steps; step++) {
      const batch = next();
      own.push(batch.includes(of) ? 1 : 0);
      others.push(batch.length - own[step]);
    }
    const key = `${own.join()} ${others.join()}`;
    const outcome = found.get(key);
    if (outcome === undefined) found.set(key, { own, others, count: 1 });
    else outcome.count += 1;
  }
  // As for single slots; of the outcomes that may occur few do.
  const variation = Math.sqrt((2 ** steps * slots ** steps * Math.LN2 + Math.log(2 / alpha)) / (2 * draws));
  noteTest(alpha, -Math.log(alpha) / (2 * variation));
  return {
    outcomes: [...found.values()].map(({ own, others, count }) => ({ share: count / draws, own, others })),
    variation,
  };
}

/**
 * `δ(ε)` of the sums of all slots, one of which sends 1 or nothing and each of the others `increment`, in
 * both directions, by the trapezoidal rule; the error is below 0.002.
 *
 * @param stream - Of one or two steps.
 */
export function jointProfile(
  stream: SampledStream,
  outcomes: readonly JointOutcome[],
  increment: number,
  epsilons: readonly number[],
): { readonly present: Float64Array; readonly absent: Float64Array } {
  const { steps, sigma, encoder } = stream;
  const meansOf = (sent: (outcome: JointOutcome, step: number) => number): readonly Float64Array[] =>
    outcomes.map((outcome) =>
      Float64Array.from({ length: steps }, (_, row) => {
        let sum = 0;
        for (let j = 0; j <= row; j++) sum += encoder(row, j) * sent(outcome, j);
        return sum;
      }),
    );
  const [withSlot, without] = [
    meansOf(({ own, others }, j) => own[j] + increment * others[j]),
    meansOf(({ others }, j) => increment * others[j]),
  ];
  const all = [...withSlot, ...without].flatMap((mean) => [...mean]);
  const [low, high] = [Math.min(...all) - 6 * sigma, Math.max(...all) + 6 * sigma];
  const points = Math.ceil(((high - low) / sigma) * 6);
  const width = (high - low) / points;
  const cell = (width / (sigma * Math.sqrt(2 * Math.PI))) ** steps;
  const present = new Float64Array(epsilons.length);
  const absent = new Float64Array(epsilons.length);
  const bounds = epsilons.map(Math.exp);
  const sums = new Float64Array(steps);
  const densityOf = (means: readonly Float64Array[]): number => {
    let density = 0;
    for (let k = 0; k < means.length; k++) {
      let square = 0;
      for (let row = 0; row < steps; row++) square += (sums[row] - means[k][row]) ** 2;
      density += outcomes[k].share * Math.exp(-square / (2 * sigma * sigma));
    }
    return density;
  };
  for (let i = 0; i < points ** steps; i++) {
    for (let step = 0, rest = i; step < steps; step++) {
      sums[step] = low + ((rest % points) + 0.5) * width;
      rest = Math.floor(rest / points);
    }
    const [p, q] = [densityOf(withSlot), densityOf(without)];
    for (let k = 0; k < bounds.length; k++) {
      present[k] += cell * Math.max(0, p - bounds[k] * q);
      absent[k] += cell * Math.max(0, q - bounds[k] * p);
    }
  }
  return { present, absent };
}
