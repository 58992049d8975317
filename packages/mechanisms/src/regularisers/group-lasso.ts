import { defineRegulariser, InvalidParameter } from '@lethe/core';
import { proximalGroup } from '@lethe/numerics';
import * as z from 'zod';
import { proximalClaims } from './claims.js';

/**
 * Group lasso: `strength · Σ_g ‖y_g‖₂` over disjoint groups of coordinates.
 *
 * @param params - `strength`: positive; `groups`: coordinates of each group, counted from 0.
 */
export const groupLasso = defineRegulariser({
  name: 'group',
  summary: 'Group lasso: strength times the sum of the Euclidean norms of disjoint groups of coordinates.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({
    strength: z.number().positive().describe('factor in front of the function, greater than 0'),
    groups: z
      .array(z.array(z.int().nonnegative()).min(1))
      .describe('coordinates of each group, counted from 0'),
  }),
  claims: proximalClaims,
  examples: [
    { strength: 0.5, groups: [[0, 2], [1]] },
    { strength: 1, groups: [[1]] },
  ],
  build(params, dimension) {
    const beyond = params.groups.flat().find((index) => index >= dimension);
    if (beyond !== undefined)
      throw new InvalidParameter(`a group names coordinate ${beyond}: give coordinates below ${dimension}`, {
        index: beyond,
        dimension,
      });
    return proximalGroup(params);
  },
});
