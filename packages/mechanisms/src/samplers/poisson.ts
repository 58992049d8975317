import { defineSampler, type Amplification, type Adjacency } from '@lethe/core';
import { poissonSample } from '@lethe/numerics';
import * as z from 'zod/mini';
import { assertPublicSlots, assertSlots } from './slots.js';

/**
 * Poisson sampling: every record takes part independently with probability `rate`, by the curator's secret
 * randomness. The size is hidden: means divide by the expected size `rate · slots`, never by the realised
 * one, and the answer for an empty batch is noise, like any other.
 *
 * The accountant may amplify under every adjacency, with an inner event of the same adjacency; under
 * replace-one the pair is that of two mixtures (with and without the record, at opposite contributions),
 * which is not the add-remove pair.
 *
 * @param params - `rate`: probability of taking part, in (0, 1].
 */
export const poisson = defineSampler({
  name: 'poisson',
  summary: 'Each record takes part by its own secret draw.',
  source: { id: 'zhu-wang-2019', item: 'Section 2' },
  params: z.strictObject({ rate: z.number().check(z.positive(), z.maximum(1)) }),
  claims: [
    { property: 'marginals', statement: 'positions are drawn independently, each with probability rate' },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'rate · slots, the mean size' },
    { property: 'coins', statement: 'all that a draw depends on besides rate and slots' },
    {
      property: 'amplification',
      statement:
        'core/poisson under every adjacency, with an inner event of the same adjacency and the size hidden',
    },
  ],
  examples: [{ rate: 0.5 }, { rate: 0.02 }, { rate: 1 }],
  size: 'hidden',
  amplification({ rate }) {
    const under = (inner: Adjacency): Amplification => ({ sampler: { kind: 'core/poisson', rate }, inner });
    return {
      'replace-one': under('replace-one'),
      'add-remove': under('add-remove'),
      'zero-out': under('zero-out'),
    };
  },
  normaliser({ rate }, slots) {
    assertPublicSlots(slots);
    return rate * slots;
  },
  draw({ rate }, slots, random) {
    assertSlots(slots, 0);
    return poissonSample(random, slots, rate);
  },
});
