import { defineDomain } from '@lethe/core';
import { wholeSpace } from '@lethe/numerics';
import * as z from 'zod';
import { attainedDiameter, projectionClaims } from './projection-claims.js';

/** No constraint: all of `R^dimension`. */
export const wholeSpaceDomain = defineDomain({
  name: 'whole-space',
  summary: 'No constraint.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({}),
  claims: [...projectionClaims, attainedDiameter],
  examples: [{}],
  build: (_params, dimension) => wholeSpace(dimension),
});
