import { defineSampler, InvalidParameter } from '@lethe/core';
import * as z from 'zod';

/**
 * Everyone takes part. Say here who takes part in yours, by whose randomness, and whether the size is public.
 */
export const templateSampler = defineSampler({
  name: 'template-sampler',
  summary: 'Every record takes part in every step.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'size', statement: 'every position is drawn' },
    { property: 'positions', statement: '0 to slots − 1, in order' },
    { property: 'coins', statement: 'none are used' },
    { property: 'amplification', statement: 'none, under every adjacency' },
  ],
  size: 'exact',
  amplification: () => ({
    'replace-one': { sampler: null, inner: 'replace-one' },
    'add-remove': { sampler: null, inner: 'add-remove' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  }),
  normaliser: (_params, slots) => checked(slots),
  draw: (_params, slots) => Uint32Array.from({ length: checked(slots) }, (_, position) => position),
});

function checked(slots: number): number {
  if (Number.isSafeInteger(slots) && slots > 0) return slots;
  throw new InvalidParameter(
    `${slots} slots were given; a sampler draws from a positive whole number of them`,
    { slots },
  );
}
