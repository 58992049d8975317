import type { GradientTerms, Vector } from '@lethe/core';
import type { DataSet } from './attached.js';
import type { Rows } from './members.js';

/**
 * The sum of whole gradients, or of weighted sums of gradients at several points, each projected onto an ℓ2
 * ball once, by the kernel that the loss brings; `null` where it brings none, and for single coordinates.
 *
 * @param radius - `null` where records are bounded in another way.
 * @param into - What the sum is added to, `[dimension]`. @defaultValue zeros
 */
export function fusedSum(
  data: DataSet,
  rows: Rows,
  { terms, coordinates }: GradientTerms,
  radius: number | null,
  into?: Vector,
): Vector | null {
  if (radius === null || coordinates !== undefined) return null;
  const { plugin, params } = data.loss;
  const fused = (plugin.linear ?? plugin.multiOutput)?.fused?.(params);
  if (fused === undefined) return null;
  const [first] = terms;
  const out = into ?? new Float64Array(data.dimension);
  const job = { X: data.matrix, labels: data.labels, norms: data.norms, rows, radius, out };
  if (terms.length === 1 && first.weight === 1) fused.clippedSum({ ...job, w: first.at });
  else if (fused.clippedTerms === undefined) return null;
  else fused.clippedTerms({ ...job, terms });
  return out;
}
