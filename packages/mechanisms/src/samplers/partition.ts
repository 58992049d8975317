import { defineSampler, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { assertSlots, consecutive } from './slots.js';

/**
 * Sizes of `parts` equal disjoint parts of `slots` positions, for one pass by
 * `ask.split({ by: 'size', sizes })`. The remainder `slots mod parts` is dropped, so that every part has the
 * same public normaliser.
 *
 * @throws {InvalidParameter} unless `parts` is an integer from 1 to `slots`.
 */
export function partitionSizes(slots: number, parts: number): readonly number[] {
  const size = partSize(slots, parts, 0);
  return Array.from({ length: parts }, () => size);
}

function partSize(slots: number, parts: number, part: number): number {
  if (!Number.isSafeInteger(parts) || parts < 1)
    throw new InvalidParameter(`${parts} parts were asked for; give a positive integer`, { parts });
  assertSlots(slots, parts);
  if (part >= parts)
    throw new InvalidParameter(`part ${part} was asked for; there are parts 0 to ${parts - 1}`, {
      part,
      parts,
    });
  return Math.floor(slots / parts);
}

const notAmplified = {
  'replace-one': { sampler: null, inner: 'replace-one' },
  'zero-out': { sampler: null, inner: 'zero-out' },
} as const;

/**
 * Part `part` of `parts` equal parts, each of consecutive positions in stored order, fixed before data are
 * read: no amplification, no secret. Under add-remove it is unsupported, because one removal moves every
 * later position.
 *
 * A curator charges each draw separately. For one pass whose parts compose in parallel, use `ask.split` with
 * this sampler, which makes all parts for any `part`, or with {@link partitionSizes} and `order: 'shuffled'`
 * if the stored order of the data has a meaning.
 *
 * @param params - `parts`: number of parts; `part`: which one a single draw is, from 0.
 */
export const partition = defineSampler({
  name: 'partition',
  summary: 'One of equal, disjoint, consecutive parts: one pass over the data.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 2' },
  params: z
    .strictObject({ parts: z.int().positive(), part: z.int().nonnegative().default(0) })
    .refine(({ parts, part }) => part < parts, { message: 'part must be below parts', path: ['part'] }),
  claims: [
    { property: 'disjoint', statement: 'different parts have no position in common' },
    { property: 'size', statement: '⌊slots/parts⌋, the same for every part' },
    { property: 'positions', statement: 'consecutive; those from parts · ⌊slots/parts⌋ on are in no part' },
    { property: 'coins', statement: 'none are used' },
    { property: 'amplification', statement: 'none; unsupported under add-remove' },
    { property: 'partition', statement: 'all parts: disjoint, of ⌊slots/parts⌋ each' },
    { property: 'partition-coins', statement: 'none are used' },
    { property: 'partition-amplification', statement: 'none; unsupported under add-remove' },
  ],
  examples: [
    { parts: 3, part: 0 },
    { parts: 4, part: 3 },
  ],
  size: 'exact',
  amplification: () => notAmplified,
  normaliser: ({ parts, part }, slots) => partSize(slots, parts, part),
  draw({ parts, part }, slots) {
    const size = partSize(slots, parts, part);
    return consecutive(part * size, size);
  },
  partition: {
    normalisers: ({ parts }, slots) => partitionSizes(slots, parts),
    amplification: () => notAmplified,
    draw: ({ parts }, slots) =>
      partitionSizes(slots, parts).map((size, part) => consecutive(part * size, size)),
  },
});
