import { defineLinearLoss, type Fact } from '@lethe/core';
import * as z from 'zod';

const fromDomain = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'from-domain' });

/**
 * Absolute error of a linear model: `|⟨w, x⟩ − y|`. Say here
 * which facts follow from which bounds on the records.
 */
export const templateLoss = defineLinearLoss({
  name: 'template-loss',
  summary: 'Absolute residual of a linear model.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  capabilities: {
    convex: true,
    lipschitz: true,
    coordinateLipschitz: true,
    smooth: false,
    coordinateSmooth: false,
    linear: true,
    nullRecord: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  linear: {
    value: (_params, margin, label) => Math.abs(margin - label),
    slope: (_params, margin, label) => Math.sign(margin - label),
  },
  facts: (_params, { featureNorm, featureBounds }) => ({
    ...(featureNorm === undefined ? {} : { lipschitz: fromDomain(featureNorm) }),
    // One number for each coordinate, and the largest of them.
    ...(featureBounds === undefined
      ? {}
      : { coordinateLipschitz: { ...fromDomain(Math.max(...featureBounds)), each: featureBounds } }),
  }),
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
