import type { Vector } from '@lethe/core';

/**
 * Sets all but the `count` entries of largest size to zero, in place; of equal sizes, those of lower index
 * stay. O(length) on average, and O(length log length) for every vector: no record may make a release long.
 * Entries must be finite.
 */
export function keepLargestEntries(vector: Vector, count: number): void {
  if (count >= vector.length) return;
  const threshold = selected(vector.map(Math.abs), vector.length - count);
  let ties = count;
  for (const x of vector) if (Math.abs(x) > threshold) ties--;
  for (let j = 0; j < vector.length; j++) {
    const size = Math.abs(vector[j]);
    if (size < threshold || (size === threshold && ties-- <= 0)) vector[j] = 0;
  }
}

/** Passes over all entries after which the rest are sorted. */
const mostPasses = 8;

/** The entry that `rank` others precede in ascending order; reorders its argument. */
function selected(values: Float64Array, rank: number): number {
  let [from, to] = [0, values.length - 1];
  for (let looked = 0; from < to; looked += to - from + 1) {
    if (looked > mostPasses * values.length) {
      values.subarray(from, to + 1).sort();
      break;
    }
    const middle = values[from + ((to - from) >> 1)];
    let [low, high] = [from, to];
    while (low <= high) {
      while (values[low] < middle) low++;
      while (values[high] > middle) high--;
      if (low > high) break;
      const held = values[low];
      values[low++] = values[high];
      values[high--] = held;
    }
    if (rank <= high) to = high;
    else if (rank >= low) from = low;
    else return values[rank];
  }
  return values[rank];
}
