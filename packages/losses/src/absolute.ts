import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod';
import { kinkedOptimum } from './optimum/kinked-optimum.js';
import { factsOfLinearLoss, recordBounds, residualBound } from './record-bounds.js';

/**
 * Least absolute deviations: `|⟨w, x⟩ − y|`, with the subgradient 0 where the residual is 0. Not smooth.
 *
 * Facts: `lipschitz = featureNorm` and `coordinateLipschitz.j = featureBounds[j]`, whatever labels and
 * iterates are; `range` with bounded ones.
 */
export const absolute = defineLinearLoss({
  name: 'absolute',
  summary: 'Absolute residual of a linear model.',
  source: { id: 'textbook', item: 'least absolute deviations' },
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
    value: (_params, margin, label) => Math.abs(margin - label),
    slope: (_params, margin, label) => Math.sign(margin - label),
  },
  facts(_params, domain) {
    const bounds = recordBounds(domain);
    return factsOfLinearLoss(bounds, { slope: 1, curvature: undefined, value: residualBound(bounds) });
  },
  optimum: (_params, data, domain, options) => kinkedOptimum(() => [-1, 1], data, domain, options),
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
