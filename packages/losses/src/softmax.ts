import {
  addUp,
  expUp,
  log1pUp,
  multiplyUp,
  softmaxResidualInPlace,
  softmaxSum,
  sqrtUp,
} from '@lethe/numerics';
import { classLabels, defineMultiOutputLoss } from '@lethe/core';
import * as z from 'zod';
import { eachOf, finiteFacts, recordBounds } from './record-bounds.js';

/**
 * Half the distance between two corners of the simplex, squared: the largest eigenvalue of `diag(p) − p pᵀ`.
 */
const curvature = 0.5;

/**
 * Softmax regression, also called multinomial logistic regression: `log Σ_k exp(m_k) − m_y` with outputs
 * `m_k = ⟨w_k, x⟩` and classes `y = 0, …, classes − 1`. The iterate is the rows `w_0, …, w_(classes−1)` one
 * after another; finite and accurate for every finite output.
 *
 * A record's gradient is `(p − e_y) ⊗ x`, where `p` are the probabilities of the classes. Facts:
 * `lipschitz = √2 featureNorm`, `smoothness = featureNorm²/2`; per weight, from `featureBounds`,
 * `coordinateLipschitz = featureBounds[j]` and `coordinateSmoothness = featureBounds[j]²/4`; and `range` with
 * bounded iterates.
 */
export const softmax = defineMultiOutputLoss({
  name: 'softmax',
  summary: 'Logistic loss of several classes: one row of weights for each.',
  source: { id: 'textbook', item: 'multinomial logistic regression' },
  params: z.strictObject({ classes: z.int().min(2).max(10_000).describe('K: labels are 0, …, K − 1.') }),
  examples: [{ classes: 3 }],
  capabilities: {
    convex: true,
    smooth: true,
    coordinateSmooth: true,
    lipschitz: true,
    coordinateLipschitz: true,
    linear: false,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    { property: 'convexity', statement: 'convex in w for every record' },
    { property: 'lipschitz', statement: 'gradients are shorter than √2‖x‖' },
    { property: 'smoothness', statement: 'gradients are ‖x‖²/2-Lipschitz in w' },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  multiOutput: {
    outputs: ({ classes }) => classes,
    value(_params, outputs, { label }) {
      let top = 0;
      for (let k = 1; k < outputs.length; k++) if (outputs[k] > outputs[top]) top = k;
      let others = 0;
      for (let k = 0; k < outputs.length; k++) if (k !== top) others += Math.exp(outputs[k] - outputs[top]);
      return outputs[top] - outputs[label] + Math.log1p(others);
    },
    slopesInto(_params, out, outputs, { label }) {
      out.set(outputs);
      softmaxResidualInPlace(out, label);
    },
    fused: ({ classes }) => softmaxSum(classes),
  },
  facts({ classes }, domain) {
    const { featureNorm, featureBounds, sparsity, margin } = recordBounds(domain);
    // Outputs lie in a ball of radius `margin`, so that two of them differ by √2 times it at most.
    const apart = margin === undefined ? undefined : multiplyUp(sqrtUp(2), margin);
    return finiteFacts({
      lipschitz: featureNorm === undefined ? undefined : multiplyUp(sqrtUp(2), featureNorm),
      smoothness: featureNorm === undefined ? undefined : curvature * multiplyUp(featureNorm, featureNorm),
      coordinateLipschitz: eachOf(featureBounds, (bound) => bound, classes),
      coordinateSmoothness: eachOf(featureBounds, (bound) => 0.25 * multiplyUp(bound, bound), classes),
      sparsity: sparsity === undefined ? undefined : classes * sparsity,
      range: apart === undefined ? undefined : addUp(apart, log1pUp(addUp(classes - 2, expUp(-apart)))),
    });
  },
  labels: classLabels(({ classes }: { readonly classes: number }) => classes),
});
