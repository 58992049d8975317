import type { Domain } from '../geometry/domain.js';

/**
 * A closed convex function `f` with its proximal map. Vectors may have any length unless the function fixes
 * the dimension.
 */
export interface Proximal {
  readonly name: string;
  /**
   * `f(y)`; may be `Infinity`.
   *
   * @throws {InvalidParameter} on NaN or infinite coordinates and on a wrong length.
   */
  value(y: Float64Array): number;
  /**
   * Writes `argmin_y eta f(y) + ‖y − z‖² / 2` to `out` and
   * returns `out`; `out` and `z` may be the same array.
   *
   * @param eta - Step size, greater than 0 and finite.
   * @throws {InvalidParameter} on other step sizes, on NaN or infinite coordinates and on a wrong length.
   */
  proxInto(out: Float64Array, z: Float64Array, eta: number): Float64Array;
  /**
   * For a sum of functions of one coordinate each: the proximal map of that coordinate,
   * `argmin_y eta f_index(y) + (y − z)² / 2`, with `eta ≥ 0` and `z` finite. Absent if coordinates depend on
   * each other.
   */
  readonly coordinate?: (index: number, z: number, eta: number) => number;
  /**
   * For `½ Σ_j strength_j (y_j − centre_j)²` with one strength for each coordinate: its strengths and centre,
   * for methods that use its gradient.
   */
  readonly ridge?: { readonly strength: Float64Array; readonly centre: Float64Array };
  /** Set if `f` is piecewise linear where finite, so it adds no strong convexity. */
  readonly flat?: true;
  /** For `strength · ‖y‖₁`: its strength. */
  readonly lasso?: number;
  /** The set on which `f` is finite, if not all of R^dimension. */
  readonly domain?: Domain;
}
