import { addUp, expUp, log1pUp, logisticSum } from '@lethe/numerics';
import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod/mini';
import { factsOfLinearLoss, recordBounds } from './record-bounds.js';

/**
 * Logistic regression: `log(1 + exp(−y⟨w, x⟩))` with labels ±1, finite and accurate for every finite margin.
 *
 * Facts: `lipschitz = featureNorm`, `smoothness = featureNorm²/4`, the same per coordinate from
 * `featureBounds`, and `range` with bounded iterates.
 */
export const logistic = defineLinearLoss({
  name: 'logistic',
  summary: 'Logistic loss of a linear model, labels ±1.',
  source: { id: 'textbook', item: 'logistic regression' },
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
    nonNegative: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'lipschitz', statement: 'gradients are shorter than ‖x‖' },
    { property: 'smoothness', statement: 'gradients are ‖x‖²/4-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is approached where margins may be large' },
  ],
  linear: {
    fused: () => logisticSum,
    value: (_params, margin, label) => Math.max(0, -label * margin) + Math.log1p(Math.exp(-Math.abs(margin))),
    slope: (_params, margin, label) => -label / (1 + Math.exp(label * margin)),
    curvature(_params, margin, label) {
      const size = 1 / (1 + Math.exp(label * margin));
      return size * (1 - size);
    },
  },
  facts(_params, domain) {
    const bounds = recordBounds(domain);
    return factsOfLinearLoss(bounds, {
      slope: 1,
      curvature: 0.25,
      value: bounds.margin === undefined ? undefined : addUp(bounds.margin, log1pUp(expUp(-bounds.margin))),
    });
  },
  labels: { rule: '−1 or 1', accepts: (label) => label === 1 || label === -1 },
});
