import { defineSampler } from '@lethe/core';
import * as z from 'zod';
import { assertPublicSlots, assertSlots, consecutive } from './slots.js';

/**
 * All records: no amplification and no secret. The size of the batch is public if the number of its slots is;
 * under add-remove that number is a public guess, and only the normaliser of the batch is public.
 */
export const full = defineSampler({
  name: 'full',
  summary: 'Every record takes part in every step.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({}),
  claims: [
    { property: 'size', statement: 'every position is drawn' },
    { property: 'positions', statement: '0 to slots − 1, in order' },
    { property: 'coins', statement: 'none are used' },
    { property: 'amplification', statement: 'none, under every adjacency' },
    { property: 'removal', statement: 'a record that is removed leaves the batch, and nothing else changes' },
  ],
  examples: [{}],
  size: 'exact',
  amplification: () => ({
    'replace-one': { sampler: null, inner: 'replace-one' },
    'add-remove': { sampler: null, inner: 'add-remove' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  }),
  normaliser(_params, slots) {
    assertPublicSlots(slots);
    return slots;
  },
  draw(_params, slots) {
    assertSlots(slots, 0);
    return consecutive(0, slots);
  },
});
