import { arenaOf, type CsrMatrix } from '@lethe/numerics';

/**
 * Memory of the kernels for one long sum of gradients. It holds what records add up to, so it never leaves a
 * curator, and no plugin may keep it.
 */
export interface LongSum {
  readonly sum: Float64Array;
  /** The same memory in blocks that stay in the first cache while they are worked on. */
  readonly blocks: readonly Float64Array[];
  /** Whether it holds nothing but zeros. */
  isZero: boolean;
}

/** Shorter sums are made anew: that costs less than keeping them apart. */
const long = 4096;
const block = 1024;

/** Zeros in the arena of sparse rows; null for short points, and where there is no room. */
export function sumBeside({ values, columns }: CsrMatrix): LongSum | null {
  const arena = columns < long ? null : arenaOf(values);
  if (arena === null || arena.free < columns) return null;
  const sum = arena.allocate(columns);
  const blocks = Array.from({ length: Math.ceil(columns / block) }, (_, k) =>
    sum.subarray(block * k, Math.min(columns, block * (k + 1))),
  );
  return { sum, blocks, isZero: true };
}

/** The memory for a sum that begins at zero. */
export function emptied(memory: LongSum): Float64Array {
  if (!memory.isZero) memory.sum.fill(0);
  memory.isZero = false;
  return memory.sum;
}
