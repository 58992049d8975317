import { addUp, expDown, expUp, logUp, multiplyUp, subtractUp } from '@lethe/numerics';
import { defineLinearLoss } from '@lethe/core';
import * as z from 'zod';
import { factsOfLinearLoss, recordBounds } from './record-bounds.js';

/**
 * Poisson regression with the logarithmic link: `exp(m) − y m + (y log y − y)` of the margin `m = ⟨w, x⟩`,
 * half the deviance, which is 0 where `exp(m) = y` and never negative. Labels are counts, or any numbers that
 * are not negative.
 *
 * Neither Lipschitz nor smooth on the whole space: its constants grow as `exp(R N)`. Facts, only with bounded
 * features and iterates: `smoothness` and `coordinateSmoothness.j`; with bounded labels also `lipschitz`,
 * `coordinateLipschitz.j` and `range`.
 */
export const poissonRegression = defineLinearLoss({
  name: 'poisson-regression',
  summary: 'Half the Poisson deviance of a linear model of the logarithm of the mean.',
  source: { id: 'textbook', item: 'generalised linear models' },
  params: z.strictObject({}),
  examples: [{}],
  capabilities: {
    convex: true,
    smooth: 'bounded',
    coordinateSmooth: 'bounded',
    lipschitz: 'bounded',
    coordinateLipschitz: 'bounded',
    linear: true,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    {
      property: 'lipschitz',
      statement: 'gradients are no longer than the constant of bounded margins and labels',
    },
    { property: 'smoothness', statement: 'gradients change no faster than the constant of bounded margins' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
    { property: 'facts-attained', statement: 'each fact is attained up to rounding' },
  ],
  linear: {
    value(_params, margin, label) {
      if (label === 0) return Math.exp(margin);
      // In units of the label, so that digits near the minimum,
      // which is 0, are those of the distance from it.
      const off = margin - Math.log(label);
      return label * (Math.abs(off) < 1 ? Math.expm1(off) - off : Math.exp(off) - off - 1);
    },
    slope: (_params, margin, label) => Math.exp(margin) - label,
    curvature: (_params, margin) => Math.exp(margin),
  },
  facts(_params, domain) {
    const bounds = recordBounds(domain);
    const { margin, label } = bounds;
    if (margin === undefined) return {};
    const curvature = expUp(margin);
    if (label === undefined)
      return factsOfLinearLoss(bounds, { slope: undefined, curvature, value: undefined });
    // A convex function of margin and of label is largest at their ends.
    const atLeast =
      label === 0 ? 0 : addUp(expUp(-margin), multiplyUp(label, addUp(margin, subtractUp(logUp(label), 1))));
    return factsOfLinearLoss(bounds, {
      slope: Math.max(curvature, subtractUp(label, expDown(-margin))),
      curvature,
      value: Math.max(curvature, atLeast),
    });
  },
  labels: {
    rule: 'a number that is not negative, such as a count',
    accepts: (label) => label >= 0 && label < Infinity,
  },
});
