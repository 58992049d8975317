import { squaredSum } from '@lethe/numerics';
import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod';
import { factsOfLinearLoss, halfSquareUp, recordBounds, residualBound } from './record-bounds.js';

/**
 * Least squares: `½(⟨w, x⟩ − y)²`.
 *
 * Facts: `smoothness = featureNorm²` and `coordinateSmoothness.j = featureBounds[j]²`; with bounded labels
 * and iterates also `lipschitz`, `coordinateLipschitz.j` and `range`. Without those bounds no Lipschitz
 * constant exists, and none is stated.
 */
export const squared = defineLinearLoss({
  name: 'squared',
  summary: 'Half the squared residual of a linear model.',
  source: { id: 'textbook', item: 'least squares' },
  params: z.strictObject({}),
  examples: [{}],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: 'bounded',
    coordinateLipschitz: 'bounded',
    linear: true,
    nullRecord: true,
    nonNegative: true,
    quadratic: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'smoothness', statement: 'gradients are ‖x‖²-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: {
    fused: () => squaredSum,
    value: (_params, margin, label) => 0.5 * (margin - label) * (margin - label),
    slope: (_params, margin, label) => margin - label,
    curvature: () => 1,
  },
  facts(_params, domain) {
    const bounds = recordBounds(domain);
    const residual = residualBound(bounds);
    return factsOfLinearLoss(bounds, {
      slope: residual,
      curvature: 1,
      value: residual === undefined ? undefined : halfSquareUp(residual),
    });
  },
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
