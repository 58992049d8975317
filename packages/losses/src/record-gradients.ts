import { rowNorms as sparseRowNorms } from '@lethe/numerics';
import { InvalidParameter, iterateDimensionOf, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { assertPoint, eachBlock, isDense, marginForm, recordOf, type LabelledRows } from './labelled-rows.js';

/** `‖xᵢ‖₂` of each row. */
export function rowNorms(data: LabelledRows): Float64Array {
  const { rows, columns } = data;
  const norms = new Float64Array(rows);
  if (!isDense(data)) return sparseRowNorms(data.features, norms);
  const { features } = data;
  for (let i = 0; i < rows; i++) norms[i] = norm(features.subarray(i * columns, (i + 1) * columns));
  return norms;
}

/** `‖∇f(w; xᵢ, yᵢ)‖₂` of each record. @throws {InvalidParameter} unless the point is finite and fits. */
export function gradientNorms(
  loss: Resolved<Loss>,
  data: LabelledRows,
  w: Float64Array,
  norms = rowNorms(data),
): Float64Array {
  const dimension = iterateDimensionOf(loss, data.columns);
  assertPoint(w, dimension);
  const sizes = new Float64Array(data.rows);
  const { plugin, params } = loss;
  if (plugin.linear === null) {
    const gradient = new Float64Array(dimension);
    for (let i = 0; i < data.rows; i++) {
      plugin.gradientInto(params, gradient, w, recordOf(data, i));
      sizes[i] = norm(gradient);
    }
    return sizes;
  }
  const { slope } = marginForm(loss);
  eachBlock(data, w, (margins, from) => {
    for (let i = 0; i < margins.length; i++)
      sizes[from + i] = Math.abs(slope(margins[i], data.labels[from + i])) * norms[from + i];
  });
  return sizes;
}

/**
 * `sup ‖∇f(w; xᵢ, yᵢ)‖₂` of each record over the centred ball. The slope of a convex linear model is monotone
 * in the margin, so it is largest at `⟨w, x⟩ = ±radius·‖x‖`; of other losses it is the Lipschitz constant
 * that they state of a domain with nothing but records like this one.
 *
 * @throws {InvalidParameter} unless the radius is positive and finite.
 * @throws {Unsupported} for a loss that is neither, and states no constant.
 */
export function largestGradientNorms(
  { plugin, params }: Resolved<Loss>,
  data: LabelledRows,
  radius: number,
  norms = rowNorms(data),
): Float64Array {
  if (!(radius > 0 && Number.isFinite(radius)))
    throw new InvalidParameter(`radius is ${radius}; it must be positive and finite`, { radius });
  if (plugin.linear !== null && plugin.capabilities.convex === true) {
    const { slope } = marginForm({ plugin, params });
    return norms.map(
      (size, i) =>
        Math.max(
          Math.abs(slope(radius * size, data.labels[i])),
          Math.abs(slope(-radius * size, data.labels[i])),
        ) * size,
    );
  }
  return norms.map((size, i) => {
    if (size === 0 && plugin.linear !== null) return 0;
    const { label, labels = [label] } = recordOf(data, i);
    const constant = plugin.facts(params, {
      columns: data.columns,
      featureNorm: size,
      labelBound: Math.hypot(...labels),
      iterateNorm: radius,
    })['lipschitz']?.value;
    if (constant !== undefined) return constant;
    throw new Unsupported(
      `loss '${plugin.name}' is not declared a convex linear model and states no Lipschitz constant of ` +
        'bounded records; give points instead of a radius',
      { loss: plugin.name },
    );
  });
}

const norm = (v: Float64Array): number => {
  let sum = 0;
  for (const entry of v) sum += entry * entry;
  return Math.sqrt(sum);
};

/**
 * `(Σ weightᵢ sizesᵢ^order)^(1/order)`, scaled by the largest so that
 * no power overflows; weights are equal, and sum to 1, if left out.
 */
export function powerMean(sizes: Float64Array, order: number, weights?: ArrayLike<number>): number {
  let largest = 0;
  sizes.forEach((size, i) => {
    if (!Number.isFinite(size))
      throw new InvalidParameter(
        'a gradient is not finite; features and labels must be finite and small enough to square',
        {},
      );
    if (weights === undefined || weights[i] > 0) largest = Math.max(largest, size);
  });
  if (largest === 0) return 0;
  let sum = 0;
  sizes.forEach((size, i) => {
    sum += (weights?.[i] ?? 1) * (Math.min(size, largest) / largest) ** order;
  });
  return largest * (weights === undefined ? sum / sizes.length : sum) ** (1 / order);
}
