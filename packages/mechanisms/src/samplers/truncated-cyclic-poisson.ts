import { defineSampler, Unsupported, type SamplerSpec } from '@lethe/core';
import * as z from 'zod';
import { assertSlots } from './slots.js';
import { assertBand } from './streams/matrix.js';
import { poissonBlocks } from './streams/poisson-blocks.js';
import { truncatedPoisson } from './truncated-poisson.js';

const name = 'truncated-cyclic-poisson';

/**
 * Cyclic Poisson sampling with batches of bounded size. Slot `j` belongs to group `j mod groups`, which is
 * public. Step `i` of a stream takes each slot of group `i mod groups` independently with probability `rate`;
 * of more than `most` it keeps a uniform subset of that size. So a slot takes part at least `groups` steps
 * apart. For a prefix sum with a band of at most `groups` rows the stream is dominated by `⌈steps/groups⌉`
 * Gaussian releases from truncated Poisson samples of a group.
 *
 * A drawn record may displace another one of its group. Under zero-out and replace-one the slots of a group
 * are the same for both neighbours; under add-remove their number is private, and the stream is unsupported.
 * Losses cannot be verified by sampling: who is displaced depends on the other slots, so that no pair of one
 * slot is known.
 *
 * A single draw, outside a stream, is a truncated Poisson sample of rate `rate/groups` of all slots.
 *
 * @param params - `groups`: number of groups, at most 2²⁰; `rate`: in (0, 1]; `most`: positions kept at most.
 */
export const truncatedCyclicPoisson = defineSampler({
  name,
  summary: 'Poisson samples of groups of records that take turns, but never more than a maximum.',
  source: { id: 'choquette-choo-2023', item: 'Theorem 4, of truncated samples' },
  params: z.strictObject({
    groups: z
      .int()
      .positive()
      .max(2 ** 20),
    rate: z.number().positive().max(1),
    most: z
      .int()
      .positive()
      .max(2 ** 31),
  }),
  claims: [
    {
      property: 'marginals',
      statement:
        'a single draw takes positions independently with probability rate/groups; of more than most, ' +
        'every subset of that size is kept equally likely',
    },
    { property: 'positions', statement: 'ascending, at most most; possibly none' },
    { property: 'normaliser', statement: 'the mean size, E min(Binomial(slots, rate/groups), most)' },
    { property: 'coins', statement: 'all that a draw depends on besides rate, groups, most and slots' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/truncated-poisson at rate/groups under replace-one and zero-out, with an ' +
        'inner event of the same adjacency and the size hidden; unsupported under add-remove',
    },
    {
      property: 'stream',
      statement:
        '⌈steps/groups⌉ Gaussian releases from truncated Poisson samples of a group, for a band of at most ' +
        'groups rows',
    },
  ],
  examples: [
    { groups: 2, rate: 0.5, most: 3 },
    { groups: 3, rate: 0.9, most: 1 },
    { groups: 1, rate: 0.3, most: 2 },
  ],
  size: 'hidden',
  amplification: (params, slots) => truncatedPoisson.amplification(single(params), slots),
  normaliser: (params, slots) => truncatedPoisson.normaliser(single(params), slots),
  draw: (params, slots, random) => truncatedPoisson.draw(single(params), slots, random),
  stream: {
    isJoint: true,
    participation: ({ groups }, steps) => ({
      times: Math.ceil(steps / groups),
      gap: Math.min(groups, steps),
    }),
    fits({ groups }, stream) {
      assertBand(stream, groups, name);
    },
    normaliser(params, slots) {
      assertSlots(slots, 1);
      return sizesOf(params.groups, slots).reduce(
        (sum, { size, share }) => sum + share * truncatedPoisson.normaliser(inGroup(params), size),
        0,
      );
    },
    event(params, stream) {
      const { groups, rate, most } = params;
      assertBand(stream, groups, name);
      if (stream.slots === undefined)
        throw new Unsupported(
          `streams of '${name}' are accounted where the number of slots is public; use zero-out or ` +
            'replace-one',
          { sampler: name },
        );
      const draws = sizesOf(groups, stream.slots).map(({ size }): SamplerSpec => ({
        kind: 'core/truncated-poisson',
        n: size,
        rate,
        most,
      }));
      const event = poissonBlocks(stream, { groups, draws, isPublic: true });
      return { 'replace-one': event, 'zero-out': event };
    },
    begin(params, slots, _steps, random) {
      assertSlots(slots, 0);
      const { groups } = params;
      let step = 0;
      return () => {
        const group = step++ % groups;
        const size = Math.max(0, Math.ceil((slots - group) / groups));
        return truncatedPoisson
          .draw(inGroup(params), size, random)
          .map((position) => group + position * groups);
      };
    },
  },
});

interface Params {
  readonly groups: number;
  readonly rate: number;
  readonly most: number;
}
const single = ({ groups, rate, most }: Params) => ({ rate: rate / groups, most });
const inGroup = ({ rate, most }: Params) => ({ rate, most });

/** The sizes of groups that have slots, and the share of all groups of each size. */
function sizesOf(
  groups: number,
  slots: number,
): readonly { readonly size: number; readonly share: number }[] {
  const least = Math.floor(slots / groups);
  const larger = slots - least * groups;
  return [
    { size: least, share: (groups - larger) / groups },
    { size: least + 1, share: larger / groups },
  ].filter(({ size, share }) => size > 0 && share > 0);
}
