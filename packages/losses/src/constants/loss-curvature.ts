import { Unsupported, type Loss, type Resolved } from '@lethe/core';
import { marginForm } from '../labelled-rows.js';

/**
 * The largest second derivative in the margin, over every margin and label: 1 for the squared loss, ¼ for the
 * logistic one. With it `∇²f ≼ (curvature / n) XᵀX` for the average over `n` records.
 *
 * @throws {Unsupported} unless the loss is that of a linear model with a bounded curvature that is not zero.
 */
export function lossCurvature(loss: Resolved<Loss>): number {
  marginForm(loss);
  const { plugin, params } = loss;
  const curvature = plugin.facts(params, { columns: 1, featureBounds: [1] })['coordinateSmoothness']?.value;
  if (curvature !== undefined && curvature > 0) return curvature;
  throw new Unsupported(
    `loss '${plugin.name}' ` +
      `${curvature === undefined ? 'states no bound on its curvature' : 'is not curved'}; ` +
      "smoothness constants need a loss such as 'squared', 'logistic' or 'huber'",
    { loss: plugin.name },
  );
}
