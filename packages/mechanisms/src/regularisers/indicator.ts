import { defineRegulariser, domainAt, type Json } from '@lethe/core';
import { proximalIndicator } from '@lethe/numerics';
import { z } from 'zod';
import { proximalClaims } from './claims.js';

const json = z.json() as unknown as z.ZodType<Json, Json>;
const domainRef = z.strictObject({
  kind: z.literal('domain').default('domain'),
  name: z.string(),
  params: json.default({}),
});

/**
 * The indicator of a domain: 0 on it, infinite off it.
 *
 * @param params - `domain`: reference to a domain of the registry.
 */
export const indicator = defineRegulariser({
  name: 'indicator',
  summary: 'Constraint to a domain: 0 on it, infinite off it.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({ domain: domainRef }),
  claims: proximalClaims,
  examples: [
    { domain: { name: 'l2-ball', params: { radius: 1 } } },
    { domain: { name: 'box', params: { lower: -1, upper: 0.5 } } },
  ],
  build: ({ domain }, dimension, registry) => proximalIndicator(domainAt(registry, domain, dimension)),
});
