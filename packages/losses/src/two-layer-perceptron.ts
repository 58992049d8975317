import { addUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { defineLoss, type Vector } from '@lethe/core';
import * as z from 'zod';
import { finiteFacts, halfSquareUp, recordBounds } from './record-bounds.js';

/** The largest second derivative of the hyperbolic tangent, `4 / (3√3)`, rounded up. */
const largestBend = 0.769_800_358_919_502;

/** `tanh⟨u_k, x⟩` of the hidden units, `[hidden]`. */
function activations(hidden: number, at: Vector, x: Vector): Vector {
  return Float64Array.from({ length: hidden }, (_, k) => {
    let sum = 0;
    for (let j = 0; j < x.length; j++) sum += at[k * x.length + j] * x[j];
    return Math.tanh(sum);
  });
}

/** The output of the network less the label. */
function residualOf(active: Vector, at: Vector, columns: number, label: number): number {
  let output = 0;
  for (let k = 0; k < active.length; k++) output += at[active.length * columns + k] * active[k];
  return output - label;
}

/**
 * A perceptron with one hidden layer, `½(Σ_k v_k tanh⟨u_k, x⟩ − y)²`: not convex. The iterate holds the rows
 * `u_1, …, u_hidden` and then `v`; these two layers are its blocks. There are no offsets of their own: give
 * the records a column of ones.
 *
 * Facts, only with bounded records, labels and iterates: `lipschitz`, `smoothness` and `range`. With
 * `‖x‖ ≤ N` and `‖w‖ ≤ R` the gradient of the output is at most `N R`, and its second derivative
 * `N + 4/(3√3)·R N²`.
 */
export const twoLayerPerceptron = defineLoss({
  name: 'two-layer-perceptron',
  summary: 'Half the squared residual of a network with one hidden layer of hyperbolic tangents.',
  source: { id: 'textbook', item: 'multilayer perceptron' },
  params: z.strictObject({ hidden: z.int().positive().max(10_000).describe('Hidden units.') }),
  examples: [{ hidden: 2 }],
  capabilities: {
    convex: false,
    smooth: 'bounded',
    lipschitz: 'bounded',
    linear: false,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    {
      property: 'lipschitz',
      statement: 'gradients are no longer than the constant of bounded records, labels and iterates',
    },
    {
      property: 'smoothness',
      statement: 'gradients change no faster than the constant of bounded records, labels and iterates',
    },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  iterateDimension: ({ hidden }, columns) => hidden * (columns + 1),
  blocks: ({ hidden }, columns) => [hidden * columns, hidden],
  linear: null,
  value: ({ hidden }, at, { features, label }) =>
    0.5 * residualOf(activations(hidden, at, features), at, features.length, label) ** 2,
  gradientInto({ hidden }, out, at, { features, label }) {
    const { length } = features;
    const active = activations(hidden, at, features);
    const residual = residualOf(active, at, length, label);
    for (let k = 0; k < hidden; k++) {
      const back = residual * at[hidden * length + k] * (1 - active[k] * active[k]);
      for (let j = 0; j < length; j++) out[k * length + j] = back * features[j];
      out[hidden * length + k] = residual * active[k];
    }
  },
  facts({ hidden }, domain) {
    const { featureNorm, iterate, label } = recordBounds(domain);
    if (featureNorm === undefined || iterate === undefined || label === undefined) return {};
    const slope = multiplyUp(featureNorm, iterate);
    const output = Math.min(multiplyUp(iterate, sqrtUp(hidden)), multiplyUp(0.5 * slope, iterate));
    const residual = addUp(output, label);
    const bend = addUp(featureNorm, multiplyUp(largestBend, multiplyUp(slope, featureNorm)));
    return finiteFacts({
      lipschitz: multiplyUp(residual, slope),
      smoothness: addUp(multiplyUp(slope, slope), multiplyUp(residual, bend)),
      range: halfSquareUp(residual),
    });
  },
  start({ hidden }, columns, random) {
    const out = random.gaussianInto(new Float64Array(hidden * (columns + 1)));
    return out.map((entry, k) => entry / Math.sqrt(k < hidden * columns ? columns : hidden));
  },
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
