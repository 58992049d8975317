import { InvalidParameter, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { checkOrder } from './gradient-moments.js';
import { assertPoint, assertRows, eachBlock, marginForm, type LabelledRows } from './labelled-rows.js';

/** Over which iterates the supremum is taken: given points, or the centred ℓ2 ball of a radius. */
export type Iterates = { readonly points: readonly Float64Array[] } | { readonly radius: number };

/** Empirical moments as roots. */
export interface EmpiricalMoment {
  /** `sup_w ((1/n) Σ ‖∇f(w; zᵢ)‖^k)^(1/k)`: the moment of Assumption 2; `null` over a ball, where it has no closed form. */
  readonly pointwise: number | null;
  /** `((1/n) Σ sup_w ‖∇f(w; zᵢ)‖^k)^(1/k)`: the moment of Assumption 1. */
  readonly uniform: number;
}

/**
 * Exact empirical gradient moments of a linear model. **Not private**: computed from the records themselves, for simulations and
 * for data that need no protection. The result must never be declared as a fact about private data.
 *
 * Over a ball the loss must be convex: its slope is monotone in the margin, so `‖∇f‖` is largest at `⟨w, x⟩ = ±radius·‖x‖`.
 *
 * @param options - `order`: `k ≥ 2`; `over`: the iterates.
 * @throws {InvalidParameter} when shapes disagree, there is no point, or the radius is not positive and finite.
 * @throws {Unsupported} when the loss is not that of a linear model, or not convex and a ball is asked for.
 */
export function empiricalGradientMoment(loss: Resolved<Loss>, data: LabelledRows, { order, over }: { readonly order: number; readonly over: Iterates }): EmpiricalMoment {
  assertRows(data);
  checkOrder(order);
  const norms = rowNorms(data);
  if ('radius' in over) return { pointwise: null, uniform: powerMean(largestOnBall(loss, data, norms, over.radius), order) };
  if (over.points.length === 0) throw new InvalidParameter('an empirical moment needs at least one point', { points: 0 });
  const { slope } = marginForm(loss);
  const largest = new Float64Array(data.rows);
  let pointwise = 0;
  for (const point of over.points) {
    assertPoint(point, data.columns);
    const sizes = new Float64Array(data.rows);
    eachBlock(data, point, (margins, from) => {
      for (let i = 0; i < margins.length; i++) sizes[from + i] = Math.abs(slope(margins[i], data.labels[from + i])) * norms[from + i];
    });
    for (let i = 0; i < sizes.length; i++) largest[i] = Math.max(largest[i], sizes[i]);
    pointwise = Math.max(pointwise, powerMean(sizes, order));
  }
  return { pointwise, uniform: powerMean(largest, order) };
}

function largestOnBall(loss: Resolved<Loss>, { labels }: LabelledRows, norms: Float64Array, radius: number): Float64Array {
  if (!(radius > 0 && Number.isFinite(radius))) throw new InvalidParameter(`radius is ${radius}; it must be positive and finite`, { radius });
  if (loss.plugin.capabilities.convex !== true) throw new Unsupported(`loss '${loss.plugin.name}' is not declared convex; give points instead of a radius`, { loss: loss.plugin.name });
  const { slope } = marginForm(loss);
  return norms.map((norm, i) => Math.max(Math.abs(slope(radius * norm, labels[i])), Math.abs(slope(-radius * norm, labels[i]))) * norm);
}

function rowNorms({ features, rows, columns }: LabelledRows): Float64Array {
  const norms = new Float64Array(rows);
  for (let i = 0, k = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++, k++) sum += features[k] * features[k];
    norms[i] = Math.sqrt(sum);
  }
  return norms;
}

/** `((1/n) Σ sizes^order)^(1/order)`, scaled by the largest so that no power overflows. */
function powerMean(sizes: Float64Array, order: number): number {
  let largest = 0;
  for (const size of sizes) {
    if (!Number.isFinite(size)) throw new InvalidParameter('a gradient is not finite; features and labels must be finite and small enough to square', {});
    largest = Math.max(largest, size);
  }
  if (largest === 0) return 0;
  let sum = 0;
  for (const size of sizes) sum += (size / largest) ** order;
  return largest * (sum / sizes.length) ** (1 / order);
}
