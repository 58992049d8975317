import { defineSketch } from '@lethe/core';
import * as z from 'zod';
import {
  blockMarginals,
  blockPair,
  drawBlock,
  listBlocks,
  type BlockDistribution,
} from './block-distribution.js';
import { choiceSchema, partDistribution } from './choice.js';
import { prepared } from './prepared.js';

const itself = (coordinate: number): number => coordinate;

/**
 * One coordinate: the sketch of coordinate descent. Each draw takes O(log dimension), or O(1) where all are
 * alike, and has exactly the distribution of the marginals as doubles: uniform whole numbers compared with
 * whole weights (see `wholeWeights`: given probabilities are kept to 2⁻⁵⁰ of their sum).
 *
 * @param params - `choice`: `{ by: 'uniform' }` (the default), `{ by: 'probabilities', probabilities }` with
 * one for each coordinate, adding up to 1 within 1e-12, or `{ by: 'importance', smoothness }`: in proportion
 * to a smoothness constant for each coordinate.
 */
export const singleCoordinate = defineSketch({
  name: 'single-coordinate',
  summary: 'One coordinate: uniform, by probabilities or by importance.',
  source: { id: 'maranjyan-2024', item: 'Section 4.2.1, b = d' },
  params: z.strictObject({ choice: choiceSchema.default({ by: 'uniform' }) }),
  claims: [
    { property: 'marginals', statement: '1/dimension; as given; or in proportion to smoothness' },
    { property: 'unbiased', statement: 'after scaling by the inverse marginals' },
    { property: 'second-moment', statement: 'each coordinate is drawn alone' },
    { property: 'pair-probability', statement: '0 for two coordinates' },
    { property: 'enumerate', statement: 'every coordinate by itself' },
    { property: 'coordinates', statement: 'one' },
    { property: 'coins', statement: 'all that a draw depends on besides parameters and dimension' },
  ],
  examples: [
    {},
    { choice: { by: 'probabilities', probabilities: [0.5, 0.125, 0.375] } },
    { choice: { by: 'importance', smoothness: [1e-3, 4, 0.1, 1, 2.5, 100, 1, 30] } },
  ],
  draw: (params, dimension, random) => drawBlock(distributionOf(params, dimension), random),
  marginals: (params, dimension) => blockMarginals(distributionOf(params, dimension)),
  pairProbability: (params, dimension, i, j) => blockPair(distributionOf(params, dimension), i, j),
  enumerate: (params, dimension) => listBlocks(distributionOf(params, dimension)),
});

const distributionOf = prepared(
  (params: { readonly choice: z.output<typeof choiceSchema> }, dimension): BlockDistribution => ({
    distribution: partDistribution(params.choice, dimension, dimension, itself),
    dimension,
    blockOf: itself,
    members: (block) => Uint32Array.of(block),
  }),
);
