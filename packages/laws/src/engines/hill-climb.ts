import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc, { Arbitrary } from 'fast-check';

/** One random change of an input; `null` if impossible. */
export type Move<T> = (input: T, random: RandomSource) => T | null;

/** Objective, inputs and budget. */
export interface HillClimb<T> {
  /** Starting points: an arbitrary to sample from, or a list. */
  readonly inputs: Arbitrary<T> | readonly T[];
  /** At least one; all equally likely. */
  readonly moves: readonly Move<T>[];
  /** The objective to maximise. NaN counts as infinite: it satisfies no bound. */
  readonly objective: (input: T) => number;
  /** Evaluated first; the best of them is the first start. */
  readonly examples?: readonly T[];
  /** @defaultValue 5 */
  readonly starts?: number;
  /** Evaluations of the objective per start. @defaultValue 200 */
  readonly evaluations?: number;
  /** Used through forks only: equal sources give equal climbs. */
  readonly random: RandomSource;
}

/** The largest value found, and its input. */
export interface Summit<T> {
  readonly input: T;
  readonly value: number;
  readonly evaluations: number;
}

const samplesPerStart = 20;

/**
 * Climbs from several starts, each the best of 20 samples, by random moves that do not decrease the
 * objective. Deterministic; ends early at an infinite value.
 */
export function hillClimb<T>({
  inputs,
  moves,
  objective,
  examples = [],
  starts = 5,
  evaluations = 200,
  random,
}: HillClimb<T>): Summit<T> | null {
  let best: Summit<T> | null = null;
  let count = 0;
  const evaluate = (input: T): Summit<T> => {
    const value = objective(input);
    count++;
    return { input, value: Number.isNaN(value) ? Infinity : value, evaluations: count };
  };
  const highest = (points: readonly T[]): Summit<T> | null =>
    points.reduce<Summit<T> | null>((top, point) => {
      if (top?.value === Infinity) return top;
      const next = evaluate(point);
      return top === null || next.value > top.value ? next : top;
    }, null);
  best = highest(examples);
  for (let start = 0; start < starts && best?.value !== Infinity; start++) {
    const randomness = random.fork(`start ${start}`);
    const sampled = highest(
      sampleOf(inputs, Math.min(samplesPerStart, evaluations), randomness.fork('samples')),
    );
    let here: Summit<T> | null =
      start === 0 && best !== null && !(sampled !== null && sampled.value > best.value) ? best : sampled;
    if (here === null) return best && { ...best, evaluations: count };
    for (let left = evaluations - samplesPerStart; left > 0 && here.value < Infinity; left--) {
      const moved = moves[randomness.integer(moves.length)](here.input, randomness);
      if (moved === null) continue;
      const next = evaluate(moved);
      if (next.value >= here.value) here = next;
    }
    if (best === null || here.value > best.value) best = here;
  }
  return best && { ...best, evaluations: count };
}

function sampleOf<T>(inputs: Arbitrary<T> | readonly T[], count: number, random: RandomSource): readonly T[] {
  if (inputs instanceof Arbitrary)
    return fc.sample(inputs, { numRuns: count, seed: random.integer(0x7fffffff) });
  return inputs.length <= count
    ? inputs
    : Array.from({ length: count }, () => defined(inputs[random.integer(inputs.length)]));
}
