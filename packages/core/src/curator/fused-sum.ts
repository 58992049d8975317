import type { GradientTerms, Vector } from '../query/query.js';
import type { DataSet } from './data-set.js';
import type { Rows } from './members.js';

/**
 * The sum of whole gradients, each projected onto an ℓ2 ball, by the kernel that the loss brings; `null` where it brings none, and for weighted terms,
 * differences and single coordinates.
 *
 * @param radius - `null` where records are bounded in another way.
 */
export function fusedSum({ loss: { plugin, params }, matrix, labels, norms, dimension }: DataSet, rows: Rows, of: GradientTerms, radius: number | null): Vector | null {
  const [first, ...others] = of.terms;
  if (radius === null || of.coordinates !== undefined || others.length > 0 || first!.weight !== 1) return null;
  const fused = (plugin.linear ?? plugin.multiOutput)?.fused?.(params);
  if (fused === undefined) return null;
  const out = new Float64Array(dimension);
  fused.clippedSum({ X: matrix, labels, norms, w: first!.at, rows, radius, out });
  return out;
}
