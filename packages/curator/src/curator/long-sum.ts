import type { Vector } from '@lethe/core';
import { arenaOf, entryBlocks, type CsrMatrix, type EntryBlocks } from '@lethe/numerics';

/**
 * Memory of the kernels for one long sum of gradients. It holds what records add up to, so it never leaves a
 * curator, and no plugin may keep it.
 */
export interface LongSum {
  readonly sum: Float64Array;
  /** Whether `sum` holds nothing but zeros. */
  isZero: boolean;
  /** The entries of few rows, whose sum is not made as a whole. */
  readonly entries: EntryBlocks;
  /** Where its blocks are made one after another. */
  readonly block: Float64Array;
}

/** A long sum by blocks that stay in the first cache while they are worked on. */
export interface SumByBlocks {
  readonly length: number;
  /** Calls `use` with each block in turn, in memory of the kernels; what it writes there is lost. */
  eachBlock(use: (block: Float64Array, at: number) => void): void;
  /** Turns all of it into zeros. */
  clear(): void;
}

/** Shorter sums are made anew: that costs less than keeping them apart. */
const long = 4096;
const width = 2048;

/** Zeros in the arena of sparse rows; null for short points, and where there is no room. */
export function sumBeside({ values, columns }: CsrMatrix): LongSum | null {
  const arena = columns < long ? null : arenaOf(values);
  if (arena === null || arena.free < columns + width + 8) return null;
  return {
    sum: arena.allocate(columns),
    isZero: true,
    entries: entryBlocks(columns, width),
    block: arena.allocate(width),
  };
}

/** The memory for a sum that begins at zero. */
export function emptied(memory: LongSum): Float64Array {
  if (!memory.isZero) memory.sum.fill(0);
  memory.isZero = false;
  return memory.sum;
}

/** The sum in the memory, once; each block is zeros afterwards, so that the next sum finds zeros. */
export function wholeSum(memory: LongSum): SumByBlocks {
  const { sum } = memory;
  return {
    length: sum.length,
    eachBlock(use) {
      for (let at = 0; at < sum.length; at += width) {
        const block = sum.subarray(at, Math.min(sum.length, at + width));
        use(block, at);
        block.fill(0);
      }
      memory.isZero = true;
    },
    clear: () => void sum.fill(0),
  };
}

/**
 * `Σ r[i] · x` over the rows that the memory's entries are of, by blocks that are made of these.
 *
 * @param r - `[number of rows]`.
 */
export function sumOfEntries({ sum: { length }, entries, block }: LongSum, r: Vector): SumByBlocks {
  return {
    length,
    eachBlock(use) {
      for (let at = 0; at < length; at += width) {
        const some = at + width <= length ? block : block.subarray(0, length - at);
        some.fill(0);
        entries.addTo(some, r, at / width);
        use(some, at);
      }
    },
    clear: () => void r.fill(0),
  };
}
