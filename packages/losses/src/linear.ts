import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod';
import { factsOfLinearLoss, recordBounds } from './record-bounds.js';

/**
 * The affine loss `−⟨w, x⟩`: its risk over a ball is least in the direction of the mean record. Labels are
 * not used. Hard instances of lower bounds are made of it.
 *
 * Facts: `lipschitz = featureNorm`, `coordinateLipschitz.j = featureBounds[j]`, `smoothness = 0`. It is not
 * bounded below, so there is no `range`.
 */
export const linear = defineLinearLoss({
  name: 'linear',
  summary: 'Minus the inner product with the record.',
  source: { id: 'lowy-razaviyayn', item: 'Theorem 26' },
  params: z.strictObject({}),
  examples: [{}],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: true,
    coordinateLipschitz: true,
    linear: true,
    nullRecord: true,
  },
  claims: [
    { property: 'convexity', statement: 'affine in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: { value: (_params, margin) => -margin, slope: () => -1 },
  facts: (_params, domain) =>
    factsOfLinearLoss(recordBounds(domain), { slope: 1, curvature: 0, value: undefined }),
  labels: { rule: 'any finite number; it is not used', accepts: Number.isFinite },
});
