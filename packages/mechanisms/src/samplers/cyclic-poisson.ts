import { defineSampler, type Adjacency } from '@lethe/core';
import { logSumExp, poissonSample } from '@lethe/numerics';
import * as z from 'zod';
import { byBatch } from './ascending.js';
import { assertPublicSlots, assertSlots } from './slots.js';
import { columnSquares, assertBand, assertNonNegative, columnsOf, stepRatios } from './streams/matrix.js';
import { poissonBlocks } from './streams/poisson-blocks.js';

const name = 'cyclic-poisson';

/**
 * Cyclic Poisson sampling. Every slot belongs to one of `groups` groups, by its own secret draw. Step `i` of
 * a stream takes each slot of group `i mod groups` independently with probability `rate`. So a slot takes
 * part at least `groups` steps apart. For a prefix sum with a band of at most `groups` rows its
 * participations move different rows, and the stream is dominated by `⌈steps/groups⌉` Poisson-sampled
 * Gaussian releases of that rate, under every adjacency. That is an upper bound: the group of a slot is
 * secret.
 *
 * A verification by sampling uses that the group is secret too, which costs less; its matrix has no negative
 * entry.
 *
 * A single draw, outside a stream, is one such batch: a Poisson sample of rate `rate/groups`.
 *
 * @param params - `groups`: number of groups, at most 2²⁰; `rate`: in (0, 1].
 */
export const cyclicPoisson = defineSampler({
  name,
  summary: 'Poisson samples of groups of records that take turns.',
  source: { id: 'choquette-choo-2023', item: 'Theorem 4' },
  params: z.strictObject({
    groups: z
      .int()
      .positive()
      .max(2 ** 20),
    rate: z.number().positive().max(1),
  }),
  claims: [
    {
      property: 'marginals',
      statement: 'a single draw takes each position independently with probability rate/groups',
    },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'slots · rate/groups, the mean size' },
    { property: 'coins', statement: 'all that a draw depends on besides rate, groups and slots' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/poisson at rate/groups under every adjacency, ' +
        'with an inner event of the same adjacency',
    },
    {
      property: 'stream',
      statement:
        '⌈steps/groups⌉ Poisson-sampled Gaussian releases at rate, for a band of at most groups rows',
    },
  ],
  examples: [
    { groups: 2, rate: 0.5 },
    { groups: 4, rate: 0.25 },
    { groups: 1, rate: 0.1 },
    { groups: 3, rate: 1 },
  ],
  size: 'hidden',
  amplification({ groups, rate }) {
    const sampler = { kind: 'core/poisson', rate: Math.min(1, (rate / groups) * (1 + 2 ** -52)) } as const;
    const under = (inner: Adjacency) => ({ sampler, inner });
    return {
      'replace-one': under('replace-one'),
      'add-remove': under('add-remove'),
      'zero-out': under('zero-out'),
    };
  },
  normaliser({ groups, rate }, slots) {
    assertPublicSlots(slots);
    return (slots * rate) / groups;
  },
  draw({ groups, rate }, slots, random) {
    assertSlots(slots, 0);
    return poissonSample(random, slots, rate / groups);
  },
  stream: {
    participation: ({ groups }, steps) => ({
      times: Math.ceil(steps / groups),
      gap: Math.min(groups, steps),
    }),
    fits({ groups }, stream) {
      assertBand(stream, groups, name);
    },
    normaliser: ({ groups, rate }, slots) => (slots * rate) / groups,
    event({ groups, rate }, stream) {
      assertBand(stream, groups, name);
      const event = poissonBlocks(stream, {
        groups,
        draws: [{ kind: 'core/poisson', rate }],
        isPublic: groups === 1,
      });
      return { 'replace-one': event, 'add-remove': event, 'zero-out': event };
    },
    begin({ groups, rate }, slots, _steps, random) {
      assertSlots(slots, 0);
      const groupOf = new Uint32Array(slots);
      const sizes = new Uint32Array(groups);
      for (let slot = 0; slot < slots; slot++) sizes[(groupOf[slot] = random.integer(groups))]++;
      const members = byBatch(groupOf, sizes);
      let step = 0;
      return () => {
        const group = members[step++ % groups];
        return poissonSample(random, group.length, rate).map((position) => group[position]);
      };
    },
    logMoment({ groups, rate }, stream) {
      assertBand(stream, groups, name);
      const squares = columnSquares(columnsOf(stream));
      const ofGroup = new Float64Array(groups);
      return (lambda) => {
        ofGroup.fill(0);
        for (let step = 0; step < squares.length; step++)
          ofGroup[step % groups] += logPresent(rate, lambda * squares[step]);
        return logSumExp(ofGroup) - Math.log(groups);
      };
    },
    logRatio({ groups, rate }, stream) {
      assertBand(stream, groups, name);
      const columns = columnsOf(stream);
      assertNonNegative(columns, name);
      const ratios = stepRatios(columns, stream.sigma);
      const ofStep = new Float64Array(stream.steps);
      const ofGroup = new Float64Array(groups);
      return (sums) => {
        ratios(sums, ofStep);
        ofGroup.fill(0);
        for (let step = 0; step < ofStep.length; step++)
          ofGroup[step % groups] += logPresent(rate, ofStep[step]);
        return logSumExp(ofGroup) - Math.log(groups);
      };
    },
  },
});

/** `log(1 − rate + rate e^ratio)`. */
const logPresent = (rate: number, ratio: number): number =>
  ratio > 0 ? ratio + Math.log1p((1 - rate) * Math.expm1(-ratio)) : Math.log1p(rate * Math.expm1(ratio));
