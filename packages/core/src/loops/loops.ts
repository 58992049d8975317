import { InvalidParameter } from '@lethe/numerics';
import type { Batch, PublicState } from '../query/query.js';

/**
 * A state: plain values and vectors. A vector keeps its length;
 * it may be changed in place, or replaced in the record.
 */
export type State = Record<string, PublicState>;

/** How the steps of an optimizer say what a resumed run needs, and how often they ask alike. */
export interface Loops {
  /**
   * Declares what changes from iteration to iteration. Whatever
   * else is needed after a resume is computed anew.
   */
  state<S extends State>(initial: S): S;
  /**
   * Iterations `1 … count`; a run may leave them early. All iterations ask queries of the same cost, unless
   * `kind` tells kinds of them apart: then all iterations of one kind do.
   *
   * @param count - A whole number.
   */
  rounds(count: number, kind?: (t: number) => string | number): Iterable<number>;
  /**
   * One iteration for each of disjoint batches, with its number from 1. Batches of one size are asked alike,
   * unless `kind` tells kinds of iterations apart.
   */
  parts(batches: readonly Batch[], kind?: (t: number) => string | number): Iterable<readonly [number, Batch]>;
}

/** @throws {InvalidParameter} unless it is a whole number of iterations. */
export function assertCount(count: number): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  throw new InvalidParameter(`rounds of ${String(count)} iterations were asked for; give a whole number`, {
    count: String(count),
  });
}

/** What a loop over `count` iterations does besides counting. */
type Loop = (count: number) => Iterable<number>;

/** `rounds` and `parts` from one kind of loop. */
export const loopsBy = (loop: Loop): Omit<Loops, 'state'> => ({
  rounds(count) {
    assertCount(count);
    return loop(count);
  },
  *parts(batches) {
    for (const t of loop(batches.length)) yield [t, batches[t - 1]];
  },
});

/**
 * Loops of a run that is never stored.
 *
 * @param atHead - Told of all states at the head of every iteration.
 */
export function plainLoops(atHead?: (states: readonly State[]) => void): Loops {
  const states: State[] = [];
  return {
    state(initial) {
      states.push(initial);
      return initial;
    },
    ...loopsBy(function* count(most) {
      const before = states.length;
      for (let t = 1; t <= most; t++) {
        states.length = before;
        atHead?.(states);
        yield t;
      }
      states.length = before;
    }),
  };
}
