import { defineSampler, filteredEvent, gaussianEvent, type Adjacency } from '@lethe/core';
import { poissonSample } from '@lethe/numerics';
import * as z from 'zod';
import { assertPublicSlots, assertSlots } from './slots.js';
import { conditionalComposition } from './streams/conditional-composition.js';
import { poissonBlocks } from './streams/poisson-blocks.js';

const name = 'repeated-poisson';

/**
 * Poisson sampling at every step of a stream: each slot takes part in each step independently with
 * probability `rate`, with any number of participations. With independent noise the stream is a composition
 * of sampled Gaussian releases. For a prefix sum of any other band, without a negative entry, and at most 512
 * steps it is accounted by conditional composition; under replace-one it then costs what it would with public
 * batches.
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
      statement:
        'sampled Gaussian releases for independent noise; else at most a composition of mixtures of ' +
        'Gaussians, one for each row, except with probability failure',
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
      if (stream.bandwidth === 1) {
        const draws = [{ kind: 'core/poisson', rate }] as const;
        const event = poissonBlocks(stream, { groups: 1, draws, isPublic: true });
        return { 'replace-one': event, 'add-remove': event, 'zero-out': event };
      }
      const amplified = filteredEvent(conditionalComposition(stream, rate, failure, name));
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
