import { defineSketch } from '@lethe/core';
import * as z from 'zod';
import { consecutive } from '../samplers/slots.js';
import { assertCoordinates, assertDimension } from './prepared.js';

function everything(dimension: number): Uint32Array {
  assertDimension(dimension);
  return consecutive(0, dimension);
}

/** All coordinates, always: the identity. Uses no randomness. */
export const fullSketch = defineSketch({
  name: 'full',
  summary: 'All coordinates, always.',
  source: { id: 'maranjyan-2024', item: 'Section 4.2.1, b = 1' },
  params: z.strictObject({}),
  claims: [
    { property: 'marginals', statement: '1' },
    { property: 'unbiased', statement: 'nothing is left out, nothing is scaled' },
    { property: 'pair-probability', statement: '1' },
    { property: 'coins', statement: 'none are used' },
  ],
  examples: [{}],
  draw: (_params, dimension) => ({ coordinates: everything(dimension) }),
  marginals: (_params, dimension) => new Float64Array(everything(dimension).length).fill(1),
  pairProbability(_params, dimension, i, j) {
    assertCoordinates(dimension, i, j);
    return 1;
  },
  enumerate: (_params, dimension) => [{ drawn: { coordinates: everything(dimension) }, probability: 1 }],
});
