import type { Proximal } from '@lethe/numerics';

/**
 * Features `[rows, columns]` and labels `[rows]`, or `[rows, width]`
 * of a loss with vector labels, row-major; a design matrix is one.
 */
export interface LabelledRows {
  readonly features: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly labels: Float64Array;
}

/** A minimiser of the average risk, plus the regulariser if there is one, and how good it is. */
export interface NonPrivateOptimum {
  readonly point: Float64Array;
  /** Regulariser included. */
  readonly risk: number;
  /**
   * `‖∇F‖₂` at `point`, or of the least subgradient; not small where the constraint holds the point back. Of
   * a loss with a kink the gradient of its smoothed version, which is near a subgradient.
   */
  readonly gradientNorm: number;
  /**
   * Certified: `risk − minimal risk ≤ gap`, up to rounding. Never more than the risk where losses are never
   * negative, and no better than that on an unbounded domain unless there is a ridge, or ℓ1; `Infinity` for
   * others there.
   */
  readonly gap: number;
  /**
   * `gap`: the loss is convex and `gap` is small where the search ended well. `stationary`: it is not; the
   * point is the best of the stationary ones that descents from several points led to, nobody knows whether
   * there is a better one, and `gap` says no more than that losses are not negative.
   */
  readonly certified: 'gap' | 'stationary';
  /** Passes over the data. */
  readonly passes: number;
}

/** What is added to the risk, and when the search stops. */
export interface OptimumOptions {
  /**
   * A public convex function added to the average risk: a ridge (`l2-squared`), or over the whole space `l1`;
   * any with the squared distance there.
   */
  readonly regulariser?: Proximal;
  /** Stops once the certified gap is at most this. @defaultValue 1e-10 × (1 + |risk|) */
  readonly tolerance?: number;
  /** For each descent: a loss with a kink takes one for each width of its smoothing. @defaultValue 60 */
  readonly maximalPasses?: number;
  /**
   * Points to descend from besides the origin, where the loss is not
   * convex. @defaultValue four standard normal ones, always the same
   */
  readonly starts?: readonly Float64Array[];
}
