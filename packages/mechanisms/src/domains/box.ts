import { box } from '@lethe/numerics';
import { defineDomain } from '@lethe/core';
import * as z from 'zod';
import { coordinates, spread } from './parameters.js';
import { attainedDiameter, projectionClaims } from './projection-claims.js';

const bound = z.union([z.number(), coordinates]).describe('one number per coordinate, or one for all');

/**
 * The box `lower ≤ x ≤ upper`.
 *
 * @param params - `lower`, `upper`: one number for every coordinate, or one per coordinate.
 */
export const boxDomain = defineDomain({
  name: 'box',
  summary: 'Every coordinate between its bounds.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({ lower: bound, upper: bound }),
  claims: [...projectionClaims, attainedDiameter],
  examples: [
    { lower: -1, upper: 2 },
    { lower: [-1, 0, -3], upper: [2, 0, 1e3] },
  ],
  build: ({ lower, upper }, dimension) =>
    box({ lower: spread('lower', lower, dimension), upper: spread('upper', upper, dimension) }),
});
