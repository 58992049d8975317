/**
 * Sorts distinct positions below `end`: many by marks, in O(end),
 * and few by comparison.
 */
export function ascending(positions: Uint32Array, end: number): Uint32Array {
  if (8 * positions.length < end) return positions.toSorted();
  const marks = new Uint8Array(end);
  const sorted = new Uint32Array(positions.length);
  for (const position of positions) marks[position] = 1;
  for (let position = 0, at = 0; at < sorted.length; position++)
    if (marks[position] === 1) sorted[at++] = position;
  return sorted;
}

/**
 * Batches of ascending slots, from the batch of every slot;
 * slots of batches without a size are left out.
 */
export function byBatch(batchOf: Uint32Array, sizes: Uint32Array): readonly Uint32Array[] {
  // Of many batches most may be empty, and to allocate an array takes longer than to fill it.
  const empty = new Uint32Array(0);
  const batches = Array.from(sizes, (size) => (size === 0 ? empty : new Uint32Array(size)));
  const filled = new Uint32Array(sizes.length);
  for (let slot = 0; slot < batchOf.length; slot++) {
    const batch = batchOf[slot];
    if (batch < sizes.length) batches[batch][filled[batch]++] = slot;
  }
  return batches;
}
