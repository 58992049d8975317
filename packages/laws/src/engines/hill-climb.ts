import type { RandomSource } from '@lethe/core';
import fc, { Arbitrary } from 'fast-check';

/** One random change of an input; `null` when it does not apply. */
export type Move<T> = (input: T, random: RandomSource) => T | null;

/** What is maximised, over what, and for how long. */
export interface HillClimb<T> {
  /** Where climbs begin: an arbitrary to sample from, or a list. */
  readonly inputs: Arbitrary<T> | readonly T[];
  /** At least one; each is as likely as the others. */
  readonly moves: readonly Move<T>[];
  /** What is made large. NaN counts as infinite: it is never what a bound allows. */
  readonly objective: (input: T) => number;
  /** All evaluated first; the best of them is the first start. */
  readonly examples?: readonly T[];
  /** @defaultValue 5 */
  readonly starts?: number;
  /** Of the objective, per start. @defaultValue 200 */
  readonly evaluations?: number;
  /** Used through forks alone: the same source gives the same climb. */
  readonly random: RandomSource;
}

/** The largest value found and where. */
export interface Summit<T> { readonly input: T; readonly value: number; readonly evaluations: number }

const samplesPerStart = 20;

/**
 * Climbs from several starts, each the best of 20 samples, by random moves that are kept when the objective does not fall.
 * Deterministic; ends early at an infinite value.
 */
export function hillClimb<T>({ inputs, moves, objective, examples = [], starts = 5, evaluations = 200, random }: HillClimb<T>): Summit<T> | null {
  let best: Summit<T> | null = null, count = 0;
  const evaluate = (input: T): Summit<T> => {
    const value = objective(input);
    count++;
    return { input, value: Number.isNaN(value) ? Infinity : value, evaluations: count };
  };
  const highest = (points: readonly T[]): Summit<T> | null => points.reduce<Summit<T> | null>((top, point) => {
    if (top?.value === Infinity) return top;
    const next = evaluate(point);
    return top === null || next.value > top.value ? next : top;
  }, null);
  best = highest(examples);
  for (let start = 0; start < starts && best?.value !== Infinity; start++) {
    const randomness = random.fork(`start ${start}`);
    const sampled = highest(sampleOf(inputs, Math.min(samplesPerStart, evaluations), randomness.fork('samples')));
    let here: Summit<T> | null = start === 0 && best !== null && !(sampled !== null && sampled.value > best.value) ? best : sampled;
    if (here === null) return best && { ...best, evaluations: count };
    for (let left = evaluations - samplesPerStart; left > 0 && here.value < Infinity; left--) {
      const moved = moves[randomness.integer(moves.length)]!(here.input, randomness);
      if (moved === null) continue;
      const next = evaluate(moved);
      if (next.value >= here.value) here = next;
    }
    if (best === null || here.value > best.value) best = here;
  }
  return best && { ...best, evaluations: count };
}

function sampleOf<T>(inputs: Arbitrary<T> | readonly T[], count: number, random: RandomSource): readonly T[] {
  if (inputs instanceof Arbitrary) return fc.sample(inputs, { numRuns: count, seed: random.integer(0x7fffffff) });
  return inputs.length <= count ? inputs : Array.from({ length: count }, () => inputs[random.integer(inputs.length)]!);
}
