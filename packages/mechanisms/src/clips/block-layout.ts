import type { Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import * as z from 'zod';

const positions = z.array(z.number().int().nonnegative()).min(1);

/**
 * Radii of blocks and their entries: lengths of consecutive blocks
 * (`sizes`), or lists (`coordinates`). Every entry is in one block.
 */
export const blockParams = z
  .strictObject({
    radii: z.array(z.number().positive().max(1e280)).min(1),
    sizes: z.array(z.number().int().positive()).min(1).optional(),
    coordinates: z.array(positions).min(1).optional(),
  })
  .superRefine(({ radii, sizes, coordinates }, context) => {
    const refuse = (message: string): void => {
      context.addIssue({ code: 'custom', message });
    };
    if ((sizes === undefined) === (coordinates === undefined)) {
      refuse(
        'give either sizes, for blocks of consecutive entries, or coordinates, a list of entries per block',
      );
      return;
    }
    const blocks = defined(sizes ?? coordinates).length;
    if (blocks !== radii.length)
      refuse(`there are ${radii.length} radii for ${blocks} blocks; give one per block`);
    if (coordinates !== undefined && !isPartition(coordinates))
      refuse('every entry from 0 up must be in exactly one block: an entry in none would not be bounded');
    else if (!(lengthOf({ sizes, coordinates }) <= 2 ** 32)) refuse('the blocks have more than 2^32 entries');
  });

/** Parsed {@link blockParams}. */
export type BlockParams = z.output<typeof blockParams>;

function isPartition(blocks: readonly (readonly number[])[]): boolean {
  const seen = new Set(blocks.flat());
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  return seen.size === length && blocks.every((block) => block.every((at) => at < length));
}

function lengthOf({ sizes, coordinates }: Pick<BlockParams, 'sizes' | 'coordinates'>): number {
  return (
    sizes?.reduce((sum, size) => sum + size, 0) ??
    defined(coordinates).reduce((sum, block) => sum + block.length, 0)
  );
}

/**
 * How long vectors must be, and a visit of each block as a vector of its own that may be changed in place.
 */
export interface BlockLayout {
  readonly length: number;
  /** Calls `use` with each block; what it writes there is written to `vector`. The block is lent. */
  each(vector: Vector, use: (block: Vector, index: number) => void): void;
}

/** The layout that parameters describe. */
export function blockLayout(params: BlockParams): BlockLayout {
  const length = lengthOf(params);
  const { sizes, coordinates } = params;
  if (sizes !== undefined) {
    return {
      length,
      each(vector, use) {
        let from = 0;
        for (let b = 0; b < sizes.length; b++) {
          use(vector.subarray(from, from + sizes[b]), b);
          from += sizes[b];
        }
      },
    };
  }
  const blocks = defined(coordinates).map((block) => Uint32Array.from(block));
  const scratch = blocks.map((block) => new Float64Array(block.length));
  return {
    length,
    each(vector, use) {
      for (let b = 0; b < blocks.length; b++) {
        const at = blocks[b];
        const block = scratch[b];
        for (let k = 0; k < at.length; k++) block[k] = vector[at[k]];
        use(block, b);
        for (let k = 0; k < at.length; k++) vector[at[k]] = block[k];
      }
    },
  };
}
