import { Unsupported } from '../errors.js';
import { arenaOf, createArena } from './arena.js';

/** Entries from which arithmetic by kernels is worth memory of its own. */
const longVector = 4096;
/** Vectors of its length that a long one finds room for beside it; memory in vain hastens collections. */
const beside = 1;

/**
 * A copy of a vector; a long one in an arena with room for others ({@link zerosBeside}), so that arithmetic
 * on their entries is that of kernels.
 */
export function copyWithRoom(vector: Float64Array): Float64Array {
  if (vector.length < longVector) return vector.slice();
  const copy = zerosInArena(vector.length, beside);
  copy.set(vector);
  return copy;
}

/** As many zeros, in the arena of `vector` if it lies in one that has room. */
export function zerosBeside(vector: Float64Array): Float64Array {
  const { length } = vector;
  const arena = length < longVector ? null : arenaOf(vector);
  return arena !== null && arena.free >= length ? arena.allocate(length) : new Float64Array(length);
}

/**
 * Zeros in an arena of their own, or outside all arenas where the platform has no room for one.
 *
 * @param more - Vectors of this length that find room beside. @defaultValue 0
 */
export function zerosInArena(length: number, more = 0): Float64Array {
  try {
    const doubles = (1 + more) * (length + 8);
    return createArena({ doubles, width: 1, shared: false }).allocate(length);
  } catch (error) {
    if (error instanceof Unsupported) return new Float64Array(length);
    throw error;
  }
}
