import { defineRegulariser } from '@lethe/core';
import { proximalL2Squared } from '@lethe/numerics';
import * as z from 'zod';
import { spread } from '../domains/parameters.js';
import { separable, proximalClaims } from './claims.js';

const one = z.number().positive().describe('factor in front of the function, greater than 0');

/**
 * Ridge: `½ Σ_j strength_j (y_j − centre_j)²`.
 *
 * @param params - `strength`: positive, one for all coordinates or one for each; `centre`: one number per
 * coordinate, the origin unless given.
 */
export const ridge = defineRegulariser({
  name: 'l2-squared',
  summary: 'Ridge: half the squared distance from a centre, times a strength, or one for each coordinate.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({
    strength: z
      .union([one, z.array(one).min(1)])
      .describe('factor in front of the function, or one for each coordinate, greater than 0'),
    centre: z.array(z.number()).optional().describe('one number per coordinate; the origin if left out'),
  }),
  claims: [...proximalClaims, separable],
  examples: [{ strength: 0.5 }, { strength: [0.5, 1, 2], centre: [1, -1, 0] }],
  build: ({ strength, centre }, dimension) =>
    proximalL2Squared({
      strength: spread('strength', strength, dimension),
      centre: spread('centre', centre ?? 0, dimension),
    }),
});
