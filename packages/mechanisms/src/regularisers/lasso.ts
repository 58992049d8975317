import { defineRegulariser } from '@lethe/core';
import { proximalL1 } from '@lethe/numerics';
import * as z from 'zod';
import { proximalClaims, separable } from './claims.js';

/**
 * Lasso: `strength · ‖y‖₁`.
 *
 * @param params - `strength`: positive.
 */
export const lasso = defineRegulariser({
  name: 'l1',
  summary: 'Lasso: strength times the sum of absolute values.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({
    strength: z.number().positive().describe('factor in front of the function, greater than 0'),
  }),
  claims: [...proximalClaims, separable],
  examples: [{ strength: 0.1 }, { strength: 2 }],
  build: ({ strength }) => proximalL1({ strength }),
});
