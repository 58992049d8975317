import { defineDomain } from '@lethe/core';
import { simplex } from '@lethe/numerics';
import * as z from 'zod';
import { attainedDiameter, projectionClaims } from './projection-claims.js';

/**
 * The simplex `x ≥ 0, Σ x = total`.
 *
 * @param params - `total`: positive, 1 unless given.
 */
export const simplexDomain = defineDomain({
  name: 'simplex',
  summary: 'Non-negative coordinates with a given sum.',
  source: { id: 'held-wolfe-crowder-1974', item: 'Section 4' },
  params: z.strictObject({ total: z.number().positive().describe('the sum of the coordinates').default(1) }),
  claims: [...projectionClaims, attainedDiameter],
  examples: [{}, { total: 3 }],
  build: ({ total }, dimension) => simplex({ dimension, total }),
});
