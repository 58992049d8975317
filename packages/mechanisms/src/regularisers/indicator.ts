import { defineRegulariser, domainAt, referenceTo } from '@lethe/core';
import { proximalIndicator } from '@lethe/numerics';
import * as z from 'zod';
import { proximalClaims } from './claims.js';

/**
 * The indicator of a domain: 0 on it, infinite off it.
 *
 * @param params - `domain`: reference to a domain of the registry.
 */
export const indicator = defineRegulariser({
  name: 'indicator',
  summary: 'Constraint to a domain: 0 on it, infinite off it.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({ domain: referenceTo('domain') }),
  claims: proximalClaims,
  examples: [
    { domain: { name: 'l2-ball', params: { radius: 1 } } },
    { domain: { name: 'box', params: { lower: -1, upper: 0.5 } } },
  ],
  build: ({ domain }, dimension, registry) => proximalIndicator(domainAt(registry, domain, dimension)),
});
