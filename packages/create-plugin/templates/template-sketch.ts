import { defineSketch, InvalidParameter, type Drawn } from '@lethe/core';
import * as z from 'zod';

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
  pairProbability: (_params, dimension, i, j) =>
    member(i, dimension) === member(j, dimension) ? 1 / dimension : 0,
  enumerate: (_params, dimension) =>
    Array.from({ length: checked(dimension) }, (_, j) => ({ drawn: only(j), probability: 1 / dimension })),
});

/** Marginals of more would not fit in memory. */
const most = 2 ** 30;

const only = (coordinate: number): Drawn => ({ coordinates: Uint32Array.of(coordinate) });

function checked(dimension: number): number {
  if (Number.isSafeInteger(dimension) && dimension > 0 && dimension <= most) return dimension;
  throw new InvalidParameter(`dimension is ${dimension}; it must be a whole number from 1 to ${most}`, {
    dimension,
  });
}

function member(coordinate: number, dimension: number): number {
  if (Number.isSafeInteger(coordinate) && coordinate >= 0 && coordinate < checked(dimension))
    return coordinate;
  throw new InvalidParameter(
    `coordinate ${coordinate} was asked for; there are coordinates 0 to ${dimension - 1}`,
    { coordinate, dimension },
  );
}
