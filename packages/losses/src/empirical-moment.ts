import { InvalidParameter, labelWidthOf, type Loss, type Resolved } from '@lethe/core';
import { assertResolved } from './assert-resolved.js';
import { checkOrder } from './gradient-moments.js';
import { assertRows, plainRows, type GivenRows } from './labelled-rows.js';
import { gradientNorms, largestGradientNorms, powerMean, rowNorms } from './record-gradients.js';

/** Over which iterates the supremum is taken: given points, or the centred ℓ2 ball of a radius. */
export type Iterates = { readonly points: readonly Float64Array[] } | { readonly radius: number };

/** Empirical moments as roots. */
export interface EmpiricalMoment {
  /**
   * `sup_w ((1/n) Σ ‖∇f(w; zᵢ)‖^k)^(1/k)`: the moment of
   * Assumption 2; `null` over a ball, where it has no closed form.
   */
  readonly pointwise: number | null;
  /** `((1/n) Σ sup_w ‖∇f(w; zᵢ)‖^k)^(1/k)`: the moment of Assumption 1. */
  readonly uniform: number;
}

/**
 * Exact empirical gradient moments. **Not private**: computed from the records themselves, for simulations
 * and for data that need no protection. The result must never be declared as a fact about private data.
 *
 * Over a ball: exact for convex losses of linear models, whose slope is monotone in the margin, and for the
 * squared distance; of the sine link an upper bound, within 0.1 %.
 *
 * @param options - `order`: `k ≥ 2`; `over`: the iterates.
 * @throws {InvalidParameter} when the loss has no parameters with it, shapes disagree, there is no point, or
 * the radius is not positive and finite.
 * @throws {Unsupported} over a ball for a loss that is neither convex and
 * linear nor states a Lipschitz constant of bounded records.
 */
export function empiricalGradientMoment(
  loss: Resolved<Loss>,
  given: GivenRows,
  { order, over }: { readonly order: number; readonly over: Iterates },
): EmpiricalMoment {
  assertResolved(loss);
  const data = plainRows(given);
  assertRows(data, labelWidthOf(loss));
  checkOrder(order);
  const norms = rowNorms(data);
  if ('radius' in over)
    return {
      pointwise: null,
      uniform: powerMean(largestGradientNorms(loss, data, over.radius, norms), order),
    };
  if (over.points.length === 0)
    throw new InvalidParameter('an empirical moment needs at least one point', { points: 0 });
  const largest = new Float64Array(data.rows);
  let pointwise = 0;
  for (const point of over.points) {
    const sizes = gradientNorms(loss, data, point, norms);
    for (let i = 0; i < sizes.length; i++) largest[i] = Math.max(largest[i], sizes[i]);
    pointwise = Math.max(pointwise, powerMean(sizes, order));
  }
  return { pointwise, uniform: powerMean(largest, order) };
}
