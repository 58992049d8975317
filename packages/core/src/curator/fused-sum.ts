import type { GradientTerms, Vector } from '../query/query.js';
import type { DataSet } from './data-set.js';
import type { Rows } from './members.js';

/**
 * The sum of whole gradients, each projected onto an ℓ2 ball, by the kernel that the loss brings; `null`
 * where it brings none, and for weighted terms, differences and single coordinates.
 *
 * @param radius - `null` where records are bounded in another way.
 */
export function fusedSum(
  data: DataSet,
  rows: Rows,
  { terms, coordinates }: GradientTerms,
  radius: number | null,
): Vector | null {
  const first = terms[0];
  if (radius === null || coordinates !== undefined || terms.length > 1 || first.weight !== 1) return null;
  const { plugin, params } = data.loss;
  const fused = (plugin.linear ?? plugin.multiOutput)?.fused?.(params);
  if (fused === undefined) return null;
  const out = new Float64Array(data.dimension);
  fused.clippedSum({
    X: data.matrix,
    labels: data.labels,
    norms: data.norms,
    w: first.at,
    rows,
    radius,
    out,
  });
  return out;
}
