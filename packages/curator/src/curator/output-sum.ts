import type { GradientTerms, LinearMean, Vector } from '@lethe/core';
import { multiOutputSum, vectorNorm } from '@lethe/numerics';
import { normsOf } from './norms-of.js';
import type { DataSet } from './attached.js';
import { labelOf } from './label-of.js';
import type { Rows } from './members.js';

/**
 * The sum of gradients of a linear model of several outputs, each scaled by a function of its norms
 * `‖slopes‖‖x‖`, without a gradient of each record; `null` for other losses, weighted terms, differences and
 * single coordinates.
 *
 * @param into - What the sum is added to, `[dimension]`. @defaultValue zeros
 */
export function outputSum(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  mean: LinearMean,
  into?: Vector,
): Vector | null {
  const {
    loss: {
      plugin: { multiOutput },
      params,
    },
    nulls,
  } = data;
  const first = of.terms[0];
  if (multiOutput === null || of.coordinates !== undefined || of.terms.length > 1 || first.weight !== 1)
    return null;
  const norms = normsOf(mean);
  const ofRows = norms.map((norm) => data.normsIn(norm));
  return multiOutputSum({
    X: data.matrix,
    w: first.at,
    rows,
    outputs: multiOutput.outputs(params),
    out: into ?? new Float64Array(data.dimension),
    coefficientsInPlace(outputs, row) {
      if (nulls?.[row] === 1) {
        outputs.fill(0);
        return;
      }
      multiOutput.slopesInto(params, outputs, outputs, labelOf(data, row));
      const lengths = norms.map((norm, k) => vectorNorm(outputs, norm) * ofRows[k][row]);
      const by = lengths.every(Number.isFinite) ? mean.factor(...lengths) : 0;
      for (let k = 0; k < outputs.length; k++) outputs[k] *= by;
    },
  });
}
