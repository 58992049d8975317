import { defineSampler, gaussianEvent, type Adjacency } from '@lethe/core';
import { poissonSample } from '@lethe/numerics';
import * as z from 'zod';
import { assertPublicSlots, assertSlots } from './slots.js';
import { conditionalComposition } from './streams/conditional-composition.js';

const name = 'repeated-poisson';

/**
 * Poisson sampling at every step of a stream: each slot takes part in each step independently with
 * probability `rate`, with any number of participations. The stream is accounted by conditional composition,
 * for a prefix sum without a negative entry, of any band, and at most 512 steps. Under replace-one it costs
 * what it would with public batches.
 *
 * A single draw, outside a stream, is a Poisson sample.
 *
 * @param params - `rate`: in (0, 1]; `failure`: the part of the run's δ that the accounting uses up.
 */
export const repeatedPoisson = defineSampler({
  name,
  summary: 'Poisson samples at every step of a stream, with noise of any correlation.',
  source: { id: 'choquette-choo-mmcc-2023', item: 'conditional composition' },
  params: z.strictObject({
    rate: z.number().positive().max(1),
    failure: z.number().min(1e-100).max(0.1).default(1e-9),
  }),
  claims: [
    { property: 'marginals', statement: 'positions are drawn independently, each with probability rate' },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'rate · slots, the mean size' },
    { property: 'coins', statement: 'all that a draw depends on besides rate and slots' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/poisson under every adjacency, with an inner event of the same adjacency',
    },
    {
      property: 'stream',
      statement: 'a composition of mixtures of Gaussians, one for each row, except with probability failure',
    },
  ],
  examples: [
    { rate: 0.5, failure: 1e-9 },
    { rate: 0.05, failure: 1e-12 },
  ],
  size: 'hidden',
  amplification({ rate }) {
    const under = (inner: Adjacency) => ({ sampler: { kind: 'core/poisson', rate } as const, inner });
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
  stream: {
    participation: (_params, steps) => ({ times: steps, gap: 1 }),
    normaliser: ({ rate }, slots) => rate * slots,
    event({ rate, failure }, stream) {
      const amplified = conditionalComposition(stream, rate, failure, name);
      const norm = stream.columnNorm({ times: stream.steps, gap: 1 });
      return {
        'replace-one': gaussianEvent(stream.sigma, { 'replace-one': 2 * norm }),
        'add-remove': amplified,
        'zero-out': amplified,
      };
    },
    begin({ rate }, slots, _steps, random) {
      assertSlots(slots, 0);
      return () => poissonSample(random, slots, rate);
    },
  },
});
