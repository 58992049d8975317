import { addProduct } from '../common/exact-sum.js';
import { requireLength } from '../common/require.js';
import type { PublicState, Vector } from '@lethe/core';

/** All that a {@link LazyAverage} remembers: a state of a run. */
export interface LazyAverageState { readonly [key: string]: PublicState; count: number; readonly held: Vector; readonly since: Vector; readonly sum: Vector; readonly rest: Vector }

/** The mean of vectors of which each differs from the one before in a few coordinates. */
export interface LazyAverage {
  /** The next vector: it differs from the last one at most in `coordinates`. O(number of coordinates); keeps nothing of its arguments. */
  push(next: ArrayLike<number>, coordinates: ArrayLike<number>): void;
  /** The mean of what was pushed, the start not among it, and rounded once: sums are kept in pairs of doubles. The start while nothing was pushed. */
  value(): Vector;
}

/** The state of an average to which nothing was pushed yet. */
export const emptyAverage = (start: ArrayLike<number>): LazyAverageState => {
  const zeros = (): Vector => new Float64Array(start.length);
  return { count: 0, held: Float64Array.from(start), since: zeros(), sum: zeros(), rest: zeros() };
};

/**
 * Averages iterates without touching all of their coordinates at every step: of each it remembers since when it has its value.
 *
 * @param start - The vector before the first push; or a state, which is kept up to date.
 */
export function lazyAverage(start: ArrayLike<number> | LazyAverageState): LazyAverage {
  const now = 'held' in start ? start : emptyAverage(start);
  const { held, since, sum, rest } = now;
  return {
    push(next, coordinates) {
      requireLength(held.length, 'the next vector', next);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i]!;
        // Its old value held up to the push before this one.
        addProduct(sum, rest, j, held[j]!, now.count - since[j]!);
        since[j] = now.count;
        held[j] = next[j]!;
      }
      now.count++;
    },
    value() {
      if (now.count === 0) return held.slice();
      const total = sum.slice(), small = rest.slice();
      for (let j = 0; j < held.length; j++) addProduct(total, small, j, held[j]!, now.count - since[j]!);
      return total.map((large, j) => (large + small[j]!) / now.count);
    },
  };
}
