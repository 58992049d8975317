import { defineLinearLoss } from '@lethe/core';
import { multiplyUp, subtractUp } from '@lethe/numerics';
import * as z from 'zod';
import { factsOfLinearLoss, halfSquareUp, recordBounds, residualBound } from './record-bounds.js';

/**
 * Huber's loss: half the square of the residual `⟨w, x⟩ − y` up to `width`, from there on along the tangent.
 * Regression whose gradients are bounded, by `width·‖x‖₂`, whatever labels and iterates are.
 *
 * Facts: `lipschitz = width·featureNorm`, `smoothness = featureNorm²`, and the same per coordinate from
 * `featureBounds`; `range` with bounded labels and iterates. Where those keep residuals within `width` it is
 * least squares, with its constants.
 */
export const huber = defineLinearLoss({
  name: 'huber',
  summary: 'Half the squared residual of a linear model, linear beyond a width.',
  source: { id: 'huber-1964', item: 'Section 3' },
  params: z.strictObject({
    width: z
      .number()
      .positive()
      .default(1)
      .describe('Residual from which on the loss is linear, in units of the label.'),
  }),
  examples: [{}, { width: 0.5 }],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: true,
    coordinateLipschitz: true,
    linear: true,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'lipschitz', statement: 'gradients are no longer than width·‖x‖' },
    { property: 'smoothness', statement: 'gradients are ‖x‖²-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: {
    value({ width }, margin, label) {
      const residual = Math.abs(margin - label);
      return residual <= width ? 0.5 * residual * residual : width * (residual - 0.5 * width);
    },
    slope: ({ width }, margin, label) => Math.min(Math.max(margin - label, -width), width),
  },
  facts({ width }, domain) {
    const bounds = recordBounds(domain);
    const residual = residualBound(bounds);
    let value: number | undefined;
    if (residual === undefined) value = undefined;
    else if (residual <= width) value = halfSquareUp(residual);
    else value = multiplyUp(width, subtractUp(residual, 0.5 * width));
    return factsOfLinearLoss(bounds, { slope: Math.min(width, residual ?? Infinity), curvature: 1, value });
  },
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
