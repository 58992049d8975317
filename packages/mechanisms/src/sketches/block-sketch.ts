import { defineSketch, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { consecutive } from '../samplers/slots.js';
import {
  blockMarginals,
  blockPair,
  drawBlock,
  listBlocks,
  type BlockDistribution,
} from './block-distribution.js';
import { choiceSchema, partDistribution } from './choice.js';
import { prepared } from './prepared.js';

const lists = z
  .array(z.array(z.int().nonnegative()).min(1))
  .min(1)
  .superRefine((blocks, context) => {
    const message = notAPartition(blocks);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

function notAPartition(blocks: readonly (readonly number[])[]): string | undefined {
  const owner = new Map<number, number>();
  for (const [k, block] of blocks.entries()) {
    for (const j of block) {
      if (owner.has(j))
        return `coordinate ${j} is in block ${owner.get(j)} and again in block ${k}; blocks must not overlap`;
      owner.set(j, k);
    }
  }
  for (let j = 0; j < owner.size; j++)
    if (!owner.has(j))
      return (
        `coordinate ${j} is in no block, though later ones are; ` +
        'blocks must be a partition of 0 to dimension - 1'
      );
  return undefined;
}

/**
 * One block of a partition of the coordinates. Each draw takes O(log blocks + size of the block) and has
 * exactly the distribution of the marginals as doubles (see {@link singleCoordinate}).
 *
 * @param params - `blocks`: lists of coordinates that are a partition of them, or a number (at most 2²⁰) of
 * runs of consecutive coordinates whose sizes differ by at most one. `choice`: of a block,
 * `{ by: 'uniform' }` (the default), `{ by: 'probabilities', probabilities }` with one for each block, or
 * `{ by: 'importance', smoothness }` with one smoothness constant for each coordinate: in proportion to the
 * largest of the block.
 */
export const blockSketch = defineSketch({
  name: 'block',
  summary: 'One block of a partition: uniform, by probabilities or by importance.',
  source: { id: 'maranjyan-2024', item: 'Section 4.2.1' },
  params: z
    .strictObject({
      blocks: z.union([
        z
          .int()
          .positive()
          .max(2 ** 20),
        lists,
      ]),
      choice: choiceSchema.default({ by: 'uniform' }),
    })
    .refine(
      ({ blocks, choice }) =>
        choice.by !== 'probabilities' ||
        choice.probabilities.length === (typeof blocks === 'number' ? blocks : blocks.length),
      { message: 'one probability is needed for each block', path: ['choice'] },
    ),
  claims: [
    { property: 'marginals', statement: 'the probability of its block' },
    { property: 'unbiased', statement: 'after scaling by the inverse marginals' },
    { property: 'second-moment', statement: 'coordinates are drawn with their block or not at all' },
    { property: 'pair-probability', statement: 'the probability of the block within it, 0 across' },
    { property: 'enumerate', statement: 'every block' },
    { property: 'coordinates', statement: 'those of one block' },
    { property: 'coins', statement: 'all that a draw depends on besides parameters and dimension' },
  ],
  examples: [
    { blocks: 3 },
    { blocks: [[0, 5], [3, 1, 4], [2]], choice: { by: 'importance', smoothness: [1, 2, 3, 0.5, 0.25, 4] } },
    { blocks: [[3], [0, 1, 2]], choice: { by: 'probabilities', probabilities: [0.1, 0.9] } },
  ],
  draw: (params, dimension, random) => drawBlock(distributionOf(params, dimension), random),
  marginals: (params, dimension) => blockMarginals(distributionOf(params, dimension)),
  pairProbability: (params, dimension, i, j) => blockPair(distributionOf(params, dimension), i, j),
  enumerate: (params, dimension) => listBlocks(distributionOf(params, dimension)),
});

interface Blocks {
  readonly blocks: number | readonly (readonly number[])[];
  readonly choice: z.output<typeof choiceSchema>;
}

const distributionOf = prepared(({ blocks, choice }: Blocks, dimension): BlockDistribution => {
  const { count, blockOf, members } =
    typeof blocks === 'number' ? runs(blocks, dimension) : listed(blocks, dimension);
  return { distribution: partDistribution(choice, count, dimension, blockOf), dimension, blockOf, members };
});

type Partition = Pick<BlockDistribution, 'blockOf' | 'members'> & { readonly count: number };

/** Block `k` begins at `⌈k dimension / count⌉`. */
function runs(count: number, dimension: number): Partition {
  if (count > dimension)
    throw new InvalidParameter(
      `${count} blocks of ${dimension} coordinates were asked for; ask for at most ${dimension}`,
      { blocks: count, dimension },
    );
  const first = (block: number): number => Math.ceil((block * dimension) / count);
  return {
    count,
    blockOf: (j) => Math.floor((j * count) / dimension),
    members: (block) => consecutive(first(block), first(block + 1) - first(block)),
  };
}

function listed(blocks: readonly (readonly number[])[], dimension: number): Partition {
  const total = blocks.reduce((sum, { length }) => sum + length, 0);
  if (total !== dimension)
    throw new InvalidParameter(
      `the blocks hold ${total} coordinates and there are ` +
        `${dimension}; give a partition of 0 to ${dimension - 1}`,
      { given: total, dimension },
    );
  const sorted = blocks.map((block) => Uint32Array.from(block).toSorted());
  const owner = new Uint32Array(dimension);
  sorted.forEach((block, k) => {
    for (const j of block) owner[j] = k;
  });
  return { count: blocks.length, blockOf: (j) => owner[j], members: (block) => sorted[block].slice() };
}
