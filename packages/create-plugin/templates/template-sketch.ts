import { defineSketch, InvalidParameter, type Drawn } from '@lethe/core';
import { z } from 'zod';

/** One coordinate, each as likely as any other. Say here which sets yours draws, and how likely each is. */
export const templateSketch = defineSketch({
  name: 'template-sketch',
  summary: 'A single coordinate, drawn uniformly.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'marginals', statement: '1/dimension' },
    { property: 'unbiased', statement: 'after scaling by the dimension' },
    { property: 'second-moment', statement: 'no two coordinates are drawn together' },
    { property: 'pair-probability', statement: '0 for two coordinates' },
  ],
  draw: (_params, dimension, random) => only(random.integer(checked(dimension))),
  marginals: (_params, dimension) => new Float64Array(checked(dimension)).fill(1 / dimension),
  pairProbability: (_params, dimension, i, j) => (member(i, dimension) === member(j, dimension) ? 1 / dimension : 0),
  enumerate: (_params, dimension) => Array.from({ length: checked(dimension) }, (_, j) => ({ drawn: only(j), probability: 1 / dimension })),
});

const only = (coordinate: number): Drawn => ({ coordinates: Uint32Array.of(coordinate) });

function checked(dimension: number): number {
  if (Number.isSafeInteger(dimension) && dimension > 0) return dimension;
  throw new InvalidParameter(`dimension is ${dimension}; it must be a positive whole number`, { dimension });
}

function member(coordinate: number, dimension: number): number {
  if (Number.isSafeInteger(coordinate) && coordinate >= 0 && coordinate < checked(dimension)) return coordinate;
  throw new InvalidParameter(`coordinate ${coordinate} was asked for; there are coordinates 0 to ${dimension - 1}`, { coordinate, dimension });
}
