import { addUp, multiplyUp } from '@lethe/numerics';
import { defineLoss } from '@lethe/core';
import * as z from 'zod';
import { meanOptimum } from './optimum/mean-optimum.js';
import { eachOf, finiteFacts, halfSquareUp, recordBounds } from './record-bounds.js';

/**
 * The squared distance from the record, `(scale/2)‖w − x‖²`: its risk is least at the mean, which is what
 * hard instances of strongly convex optimization ask for. Labels are not used, and it is no linear model.
 *
 * A record of zeros pulls to the origin with the gradient `scale·w`, so it is no null record: a user who is
 * to count as absent has to be flagged.
 *
 * Facts, for any record: `smoothness`, `strongConvexity` and `coordinateSmoothness.j`, all equal to `scale`;
 * with bounded records and iterates also `lipschitz`, `coordinateLipschitz.j` and `range`.
 */
export const squaredDistance = defineLoss({
  name: 'squared-distance',
  summary: 'Half the squared distance from the record, times a scale.',
  source: { id: 'lowy-razaviyayn', item: 'Theorem 28' },
  params: z.strictObject({
    scale: z
      .number()
      .positive()
      .default(1)
      .describe('μ: the loss is exactly this strongly convex, and this smooth.'),
  }),
  examples: [{}, { scale: 0.25 }],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: 'bounded',
    coordinateLipschitz: 'bounded',
    linear: false,
    nullRecord: false,
    nonNegative: true,
    quadratic: true,
  },
  claims: [
    { property: 'convexity', statement: 'scale-strongly convex in w for every record' },
    { property: 'smoothness', statement: 'gradients are scale-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: null,
  value({ scale }, at, { features }) {
    let sum = 0;
    for (let j = 0; j < at.length; j++) sum += (at[j] - features[j]) ** 2;
    return (scale / 2) * sum;
  },
  gradientInto({ scale }, out, at, { features }) {
    for (let j = 0; j < out.length; j++) out[j] = scale * (at[j] - features[j]);
  },
  facts({ scale }, domain) {
    const { featureNorm, featureBounds, iterate } = recordBounds(domain);
    const farthest = (bound: number | undefined): number | undefined =>
      bound === undefined || iterate === undefined ? undefined : addUp(bound, iterate);
    const times = (distance: number | undefined): number | undefined =>
      distance === undefined ? undefined : multiplyUp(scale, distance);
    const distance = farthest(featureNorm);
    return finiteFacts({
      smoothness: scale,
      strongConvexity: scale,
      lipschitz: times(distance),
      range: times(distance === undefined ? undefined : halfSquareUp(distance)),
      coordinateSmoothness: Array.from({ length: domain.columns }, () => scale),
      coordinateLipschitz: eachOf(featureBounds, (bound) => times(farthest(bound))),
    });
  },
  labels: { rule: 'any finite number; it is not used', accepts: Number.isFinite },
  optimum: ({ scale }, data, domain, options) => meanOptimum(scale, data, domain, options),
});
