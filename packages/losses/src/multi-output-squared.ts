import { addUp, multiplyUp } from '@lethe/numerics';
import { defineMultiOutputLoss } from '@lethe/core';
import * as z from 'zod';
import { eachOf, finiteFacts, halfSquareUp, recordBounds } from './record-bounds.js';

/**
 * Least squares with labels of several numbers: `½‖W x − y‖²`. The iterate is the rows of `W` one after
 * another; a label has one number for each.
 *
 * Facts: `smoothness = featureNorm²` and, per weight, `coordinateSmoothness = featureBounds[j]²`; with
 * bounded labels and iterates also `lipschitz`, `coordinateLipschitz` and `range`, where `labelBound` is
 * about `‖y‖₂`.
 */
export const multiOutputSquared = defineMultiOutputLoss({
  name: 'multi-output-squared',
  summary: 'Half the squared residual of a linear model with several outputs.',
  source: { id: 'textbook', item: 'multivariate least squares' },
  params: z.strictObject({ outputs: z.int().min(1).max(10_000).describe('Numbers in a label.') }),
  examples: [{ outputs: 2 }],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: 'bounded',
    coordinateLipschitz: 'bounded',
    linear: false,
    nullRecord: true,
    nonNegative: true,
    quadratic: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'smoothness', statement: 'gradients are ‖x‖²-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  multiOutput: {
    outputs: ({ outputs }) => outputs,
    value(_params, outputs, { label, labels }) {
      let sum = 0;
      for (let k = 0; k < outputs.length; k++) sum += (outputs[k] - (labels?.[k] ?? label)) ** 2;
      return sum / 2;
    },
    slopesInto(_params, out, outputs, { label, labels }) {
      for (let k = 0; k < out.length; k++) out[k] = outputs[k] - (labels?.[k] ?? label);
    },
  },
  facts({ outputs }, domain) {
    const { featureNorm, featureBounds, sparsity, margin, label } = recordBounds(domain);
    const residual =
      margin === undefined || label === undefined ? undefined : addUp(margin, multiplyUp(label, 1 + 2e-12));
    const times = (bound: number | undefined): number | undefined =>
      bound === undefined || residual === undefined ? undefined : multiplyUp(residual, bound);
    return finiteFacts({
      lipschitz: times(featureNorm),
      smoothness: featureNorm === undefined ? undefined : multiplyUp(featureNorm, featureNorm),
      coordinateLipschitz: eachOf(featureBounds, times, outputs),
      coordinateSmoothness: eachOf(featureBounds, (bound) => multiplyUp(bound, bound), outputs),
      sparsity: sparsity === undefined ? undefined : outputs * sparsity,
      range: residual === undefined ? undefined : halfSquareUp(residual),
    });
  },
  labels: {
    rule: 'as many finite numbers as outputs',
    accepts: Number.isFinite,
    width: ({ outputs }) => outputs,
  },
});
