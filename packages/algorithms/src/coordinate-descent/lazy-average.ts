import { addProduct } from '../common/exact-sum.js';
import { requireLength } from '../common/require.js';
import type { PublicState, Vector } from '@lethe/core';

/** All that a {@link LazyAverage} remembers. */
export interface LazyAverageState { readonly [key: string]: PublicState; readonly count: number; readonly held: Vector; readonly since: Vector; readonly sum: Vector; readonly rest: Vector }

/** The mean of vectors of which each differs from the one before in a few coordinates. */
export interface LazyAverage {
  /** The next vector: it differs from the last one at most in `coordinates`. O(number of coordinates); keeps nothing of its arguments. */
  push(next: ArrayLike<number>, coordinates: ArrayLike<number>): void;
  /** The mean of what was pushed, the start not among it, and rounded once: sums are kept in pairs of doubles. The start while nothing was pushed. */
  value(): Vector;
  /** A copy, from which {@link lazyAverage} goes on to the same bits. */
  state(): LazyAverageState;
}

/**
 * Averages iterates without touching all of their coordinates at every step: of each it remembers since when it has its value.
 *
 * @param start - the vector before the first push, or the state to go on from.
 */
export function lazyAverage(start: ArrayLike<number> | LazyAverageState): LazyAverage {
  const from: LazyAverageState = 'held' in start ? start : { count: 0, held: Float64Array.from(start), since: new Float64Array(start.length), sum: new Float64Array(start.length), rest: new Float64Array(start.length) };
  let { count } = from;
  const held = from.held.slice(), since = from.since.slice(), sum = from.sum.slice(), rest = from.rest.slice();
  return {
    push(next, coordinates) {
      requireLength(held.length, 'the next vector', next);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i]!;
        // Its old value held up to the push before this one.
        addProduct(sum, rest, j, held[j]!, count - since[j]!);
        since[j] = count;
        held[j] = next[j]!;
      }
      count++;
    },
    value() {
      if (count === 0) return held.slice();
      const total = sum.slice(), small = rest.slice();
      for (let j = 0; j < held.length; j++) addProduct(total, small, j, held[j]!, count - since[j]!);
      return total.map((large, j) => (large + small[j]!) / count);
    },
    state: () => ({ count, held: held.slice(), since: since.slice(), sum: sum.slice(), rest: rest.slice() }),
  };
}
