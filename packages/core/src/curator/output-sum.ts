import { multiOutputSum, norm2 } from '@lethe/numerics';
import type { GradientTerms, Vector } from '../query/query.js';
import type { DataSet } from './data-set.js';
import { labelOf } from './label-of.js';
import type { Rows } from './members.js';

/**
 * The sum of gradients of a linear model of several outputs, each scaled by a function of its ℓ2 norm
 * `‖slopes‖‖x‖`, without a gradient of each record; `null` for other losses, weighted terms, differences and
 * single coordinates.
 */
export function outputSum(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  factor: (norm: number) => number,
): Vector | null {
  const {
    loss: {
      plugin: { multiOutput },
      params,
    },
    norms,
    nulls,
  } = data;
  const first = of.terms[0];
  if (multiOutput === null || of.coordinates !== undefined || of.terms.length > 1 || first.weight !== 1)
    return null;
  return multiOutputSum({
    X: data.matrix,
    w: first.at,
    rows,
    outputs: multiOutput.outputs(params),
    out: new Float64Array(data.dimension),
    coefficientsInPlace(outputs, row) {
      if (nulls?.[row] === 1) {
        outputs.fill(0);
        return;
      }
      multiOutput.slopesInto(params, outputs, outputs, labelOf(data, row));
      const norm = norm2(outputs) * norms[row];
      const by = Number.isFinite(norm) ? factor(norm) : 0;
      for (let k = 0; k < outputs.length; k++) outputs[k] *= by;
    },
  });
}
