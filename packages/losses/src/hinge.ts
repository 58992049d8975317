import { addUp } from '@lethe/numerics';
import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod';
import { kinkedOptimum } from './optimum/kinked-optimum.js';
import { factsOfLinearLoss, recordBounds } from './record-bounds.js';

/**
 * The hinge loss of support vector machines: `max(0, 1 − y⟨w, x⟩)`
 * with labels ±1, and the subgradient 0 at the kink. Not smooth.
 *
 * Facts: `lipschitz = featureNorm` and
 * `coordinateLipschitz.j = featureBounds[j]`; `range` with
 * bounded iterates.
 */
export const hinge = defineLinearLoss({
  name: 'hinge',
  summary: 'Hinge loss of a linear model, labels ±1.',
  source: { id: 'textbook', item: 'support vector machines' },
  params: z.strictObject({}),
  examples: [{}],
  capabilities: {
    convex: true,
    smooth: false,
    coordinateSmooth: false,
    lipschitz: true,
    coordinateLipschitz: true,
    linear: true,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'lipschitz', statement: 'subgradients are no longer than ‖x‖' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: {
    value: (_params, margin, label) => Math.max(0, 1 - label * margin),
    slope: (_params, margin, label) => (label * margin < 1 ? -label : 0),
  },
  facts(_params, domain) {
    const bounds = recordBounds(domain);
    return factsOfLinearLoss(bounds, {
      slope: 1,
      curvature: undefined,
      value: bounds.margin === undefined ? undefined : addUp(1, bounds.margin),
    });
  },
  optimum: (_params, data, domain, options) =>
    kinkedOptimum((label) => (label > 0 ? [-1, 0] : [0, 1]), data, domain, options),
  labels: { rule: '−1 or 1', accepts: (label) => label === 1 || label === -1 },
});
