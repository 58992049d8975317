import { multiplyUp, sqrtUp } from '../rounding/index.js';
import type { Domain } from './domain.js';
import { projectionOf } from './projection.js';
import { simplexAmounts } from './simplex-threshold.js';
import { requireDimension, requireLength, requirePositive, norm1 } from './vectors.js';

/** The simplex of non-negative coordinates with sum `total`. */
export interface SimplexParameters {
  readonly dimension: number;
  readonly total: number;
}

/**
 * The simplex `x ≥ 0, Σx = total`. A projected point is exactly non-negative and its sum is off by at most
 * 2^-50 of the total, which is also the default tolerance of `contains`.
 *
 * @throws {InvalidParameter} unless `dimension` is a positive integer and `total` positive and finite.
 */
export function simplex({ dimension, total }: SimplexParameters): Domain {
  requireDimension(dimension);
  requirePositive('total', total);
  const rounding = Math.max(total * 2 ** -50, dimension * Number.MIN_VALUE);
  const scale = total > 1e290 ? 2 ** -60 : 1;
  const excess = (point: Float64Array): number =>
    (norm1(scale === 1 ? point : point.map((x) => x * scale)) - total * scale) / scale;
  const contains = (point: Float64Array, tolerance = 0): boolean => {
    requireLength('point', point, dimension);
    if (!point.every((x) => Number.isFinite(x) && -x <= tolerance)) return false;
    return (
      Math.abs(excess(tolerance === 0 ? point : point.map((x) => Math.max(0, x)))) <=
      Math.max(rounding, tolerance)
    );
  };
  return {
    name: 'simplex',
    dimension,
    diameter: dimension === 1 ? 0 : multiplyUp(sqrtUp(2), total),
    centre: new Float64Array(dimension).fill(total / dimension),
    contains,
    projectInto: projectionOf(dimension, contains, (out, point) => {
      out.set(simplexAmounts(point, total));
      // The largest coordinate absorbs the rounding error, where it is relatively smallest.
      const largest = out.reduce((best, x, index) => (x > out[best] ? index : best), 0);
      for (let pass = 0; pass < 3 && excess(out) !== 0; pass++) out[largest] -= excess(out);
      return out;
    }),
  };
}
