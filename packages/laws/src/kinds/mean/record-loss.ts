import { defineLoss } from '@lethe/core';
import * as z from 'zod';

/** A loss whose gradient at any point is the record itself. */
export const recordLoss = defineLoss({
  name: 'laws/record',
  summary: 'Gradient = features.',
  source: { id: 'lethe', item: 'laws' },
  params: z.strictObject({}),
  claims: [],
  capabilities: { convex: true },
  linear: null,
  labels: { rule: 'any number', accepts: () => true },
  value: (_params, at, { features }) => features.reduce((sum, x, j) => sum + x * at[j], 0),
  gradientInto: (_params, out, _at, { features }) => {
    out.set(features);
  },
  facts: () => ({ lipschitz: { value: 1, scope: 'every-record', provenance: 'declared' } }),
});
