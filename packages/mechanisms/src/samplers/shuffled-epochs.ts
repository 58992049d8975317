import { defineSampler, InvalidParameter } from '@lethe/core';
import { sampleWithoutReplacement } from '@lethe/numerics';
import * as z from 'zod';
import { byBatch } from './ascending.js';
import { fixedSize } from './fixed-size.js';
import { assertSlots } from './slots.js';

/** Whole batches of `size` in `slots`. */
function batchesIn(slots: number, size: number): number {
  assertSlots(slots, 0);
  if (size > slots)
    throw new InvalidParameter(
      `an epoch of ${slots} slots has no batch of ${size}; ask for batches of at most ${slots}`,
      { size, slots },
    );
  return Math.floor(slots / size);
}

/**
 * One pass over shuffled records. As a partition, the batches of an epoch are consecutive ranges of a
 * uniformly random order; the last `slots mod size` records are in none. There is no amplification: batches
 * are disjoint, unlike Poisson samples or independent draws, and compose in parallel. Unsupported under
 * add-remove as a partition, since one removal changes every batch.
 *
 * Single draws are independent uniform subsets and are
 * accounted like {@link fixedSize}.
 *
 * @param params - `size`: records in a batch.
 */
export const shuffledEpochs = defineSampler({
  name: 'shuffled-epochs',
  summary: 'Equal batches of a shuffled pass, which earns no amplification.',
  source: { id: 'chua-et-al-2024', item: 'shuffling' },
  params: z.strictObject({ size: z.int().positive() }),
  claims: [
    { property: 'marginals', statement: 'a single draw is any subset of the size, all equally likely' },
    { property: 'size', statement: 'size, whatever the randomness' },
    { property: 'positions', statement: 'ascending, none twice' },
    { property: 'coins', statement: 'the only random input of draws and partitions' },
    { property: 'amplification', statement: 'of a single draw, that of a fixed size without replacement' },
    { property: 'partition', statement: '⌊slots/size⌋ disjoint batches of the size' },
    { property: 'partition-coins', statement: 'the only random input of a partition' },
    { property: 'partition-amplification', statement: 'none for an epoch; unsupported under add-remove' },
    {
      property: 'partition-distribution',
      statement:
        'every assignment of slots to batches is equally likely; the remainder is left out at random',
    },
  ],
  examples: [{ size: 2 }, { size: 5 }],
  size: 'exact',
  amplification: (params, slots) => fixedSize.amplification(params, slots),
  normaliser: (params, slots) => fixedSize.normaliser(params, slots),
  draw: (params, slots, random) => fixedSize.draw(params, slots, random),
  partition: {
    normalisers: ({ size }, slots) => Array.from({ length: batchesIn(slots, size) }, () => size),
    amplification: () => ({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    }),
    draw({ size }, slots, random) {
      const batches = batchesIn(slots, size);
      const order = sampleWithoutReplacement(random, slots, batches * size);
      const batchOf = new Uint32Array(slots).fill(batches);
      for (let k = 0; k < batches; k++) for (let i = k * size; i < (k + 1) * size; i++) batchOf[order[i]] = k;
      return byBatch(batchOf, new Uint32Array(batches).fill(size));
    },
  },
});
