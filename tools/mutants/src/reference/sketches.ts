import { defineSketch, InvalidParameter, sampleWithoutReplacement, type Drawn } from '@lethe/core';
import { z } from 'zod';

type Listed = readonly { readonly drawn: Drawn; readonly probability: number }[];
const all = (count: number): readonly number[] => Array.from({ length: count }, (_, j) => j);

function subsets(dimension: number, size: number, first = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return all(dimension).filter((j) => j >= first).flatMap((j) => subsets(dimension, size - 1, j + 1).map((rest) => [j, ...rest]));
}

/** `size` of all coordinates, every choice equally likely. */
export const randomSubset = defineSketch({
  name: 'reference-random-subset',
  summary: 'A uniform subset of the coordinates.',
  source: { id: 'generic', item: 'RandK' },
  params: z.strictObject({ size: z.int().positive() }),
  claims: [
    { property: 'marginals', statement: 'size/dimension' }, { property: 'unbiased', statement: 'after scaling by dimension/size' },
    { property: 'second-moment', statement: 'two coordinates are drawn together with probability size (size − 1) / (dimension (dimension − 1))' },
  ],
  examples: [{ size: 2 }],
  draw: ({ size }, dimension, random) => ({ coordinates: sampleWithoutReplacement(random, dimension, inside(size, dimension)).toSorted() }),
  marginals: ({ size }, dimension) => new Float64Array(dimension).fill(inside(size, dimension) / dimension),
  enumerate({ size }, dimension): Listed | null {
    inside(size, dimension);
    if (dimension > 12) return null;
    const sets = subsets(dimension, size);
    return sets.map((set) => ({ drawn: { coordinates: Uint32Array.from(set) }, probability: 1 / sets.length }));
  },
});

function inside(size: number, dimension: number): number {
  if (size > dimension) throw new InvalidParameter(`${size} of ${dimension} coordinates were asked for; ask for fewer`, { size, dimension });
  return size;
}

/** One coordinate, with probabilities in proportion to whole weights; a weight for each coordinate, the last for all that follow. */
export const importance = defineSketch({
  name: 'reference-importance',
  summary: 'One coordinate, the weighty ones more often.',
  source: { id: 'dp-skgd', item: 'Table 1' },
  params: z.strictObject({ weights: z.array(z.int().positive()).min(1) }),
  claims: [{ property: 'marginals', statement: 'in proportion to the weights' }, { property: 'unbiased', statement: 'after scaling by the inverse' }],
  examples: [{ weights: [5, 1, 2] }],
  draw({ weights }, dimension, random) {
    let left = random.integer(all(dimension).reduce((sum, j) => sum + weightOf(weights, j), 0));
    const j = all(dimension).find((k) => (left -= weightOf(weights, k)) < 0)!;
    return { coordinates: Uint32Array.of(j), block: j };
  },
  marginals: ({ weights }, dimension) => chances(weights, dimension),
  enumerate: ({ weights }, dimension): Listed => Array.from(chances(weights, dimension), (probability, j) => ({ drawn: { coordinates: Uint32Array.of(j), block: j }, probability })),
});

const weightOf = (weights: readonly number[], j: number): number => weights[Math.min(j, weights.length - 1)]!;
const chances = (weights: readonly number[], dimension: number): Float64Array => {
  const total = all(dimension).reduce((sum, j) => sum + weightOf(weights, j), 0);
  return Float64Array.from({ length: dimension }, (_, j) => weightOf(weights, j) / total);
};

/** Each coordinate by its own coin; how often is public, which coins are listed is not. */
export const ownCoins = defineSketch({
  name: 'reference-own-coins',
  summary: 'Each coordinate by a coin of its own.',
  source: { id: 'generic', item: 'independent sampling' },
  params: z.strictObject({ rate: z.number().positive().max(1) }),
  claims: [{ property: 'marginals', statement: 'rate' }],
  examples: [{ rate: 0.3 }],
  draw: ({ rate }, dimension, random) => ({ coordinates: Uint32Array.from(all(dimension).filter(() => random.uniform() <= rate)) }),
  marginals: ({ rate }, dimension) => new Float64Array(dimension).fill(rate),
  enumerate: () => null,
});

/** One of `blocks` runs of consecutive coordinates, all equally likely. */
export const runOfCoordinates = defineSketch({
  name: 'reference-blocks',
  summary: 'One of equally likely blocks of consecutive coordinates.',
  source: { id: 'dp-skgd', item: 'Table 1' },
  params: z.strictObject({ blocks: z.int().positive() }),
  claims: [{ property: 'marginals', statement: '1/blocks' }, { property: 'second-moment', statement: 'coordinates are drawn with their block or not at all' }],
  examples: [{ blocks: 2 }],
  draw: ({ blocks }, dimension, random) => blockOf(random.integer(inside(blocks, dimension)), blocks, dimension),
  marginals: ({ blocks }, dimension) => new Float64Array(dimension).fill(1 / inside(blocks, dimension)),
  enumerate: ({ blocks }, dimension): Listed => all(inside(blocks, dimension)).map((block) => ({ drawn: blockOf(block, blocks, dimension), probability: 1 / blocks })),
});

const blockOf = (block: number, blocks: number, dimension: number): Drawn =>
  ({ block, coordinates: Uint32Array.from(all(dimension).filter((j) => Math.floor((j * blocks) / dimension) === block)) });
