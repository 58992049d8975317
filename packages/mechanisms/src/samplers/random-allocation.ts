import { defineSampler, type Adjacency, type Amplification, type SamplerSpec } from '@lethe/core';
import { divideUp } from '@lethe/numerics';
import { z } from 'zod';
import { byBatch } from './ascending.js';
import { assertPublicSlots, assertSlots } from './slots.js';

const underEvery = (sampler: SamplerSpec): { readonly [A in Adjacency]: Amplification } => ({
  'replace-one': { sampler, inner: 'replace-one' },
  'add-remove': { sampler, inner: 'add-remove' },
  'zero-out': { sampler, inner: 'zero-out' },
});

/**
 * Random allocation. As a partition, every record goes to exactly one of `steps` batches, independently and
 * uniformly. Sizes are hidden: means divide by the expected size `slots / steps`. The accountant may amplify
 * the partition as a whole by `core/random-allocation` under every adjacency, with an inner event of the same
 * adjacency: removing a record changes its own batch only. This differs from Poisson sampling: the step of a
 * record is secret, but it is certain that one step has it.
 *
 * A single draw, outside a partition, is one such batch: a Poisson
 * sample of rate `1/steps`, independent of every other draw.
 *
 * @param params - `steps`: number of batches, at most 2²⁰.
 */
export const randomAllocation = defineSampler({
  name: 'random-allocation',
  summary: 'Every record in exactly one of the steps of an epoch, by its own secret coin.',
  source: { id: 'chua-et-al-2025', item: 'balls-and-bins sampling' },
  params: z.strictObject({
    steps: z
      .int()
      .positive()
      .max(2 ** 20),
  }),
  claims: [
    {
      property: 'marginals',
      statement: 'a single draw takes each position independently with probability 1/steps',
    },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'slots/steps, the mean size' },
    { property: 'coins', statement: 'all that draws and deals depend on besides steps and slots' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/poisson at rate 1/steps under every adjacency, ' +
        'with an inner event of the same adjacency',
    },
    { property: 'deal', statement: 'steps disjoint batches' },
    { property: 'deal-coins', statement: 'all that a deal depends on besides steps and slots' },
    {
      property: 'deal-amplification',
      statement:
        'core/random-allocation under every adjacency, ' +
        'with an inner event of the same adjacency and sizes hidden',
    },
    {
      property: 'deal-law',
      statement: 'every slot is in exactly one batch, each equally likely, independently of all others',
    },
    { property: 'deal-normalisers', statement: 'slots/steps for every batch, the mean size' },
  ],
  examples: [{ steps: 2 }, { steps: 5 }, { steps: 1 }],
  size: 'hidden',
  amplification: ({ steps }) => underEvery({ kind: 'core/poisson', rate: divideUp(1, steps) }),
  normaliser({ steps }, slots) {
    assertPublicSlots(slots);
    return slots / steps;
  },
  draw({ steps }, slots, random) {
    assertSlots(slots, 0);
    const drawn: number[] = [];
    for (let slot = 0; slot < slots; slot++) if (random.integer(steps) === 0) drawn.push(slot);
    return Uint32Array.from(drawn);
  },
  partition: {
    normalisers({ steps }, slots) {
      assertPublicSlots(slots);
      return Array.from({ length: steps }, () => slots / steps);
    },
    amplification: ({ steps }) => underEvery({ kind: 'core/random-allocation', steps }),
    draw({ steps }, slots, random) {
      assertSlots(slots, 0);
      const stepOf = new Uint32Array(slots);
      const sizes = new Uint32Array(steps);
      for (let slot = 0; slot < slots; slot++) sizes[(stepOf[slot] = random.integer(steps))]++;
      return byBatch(stepOf, sizes);
    },
  },
});
