import type { CsrMatrix, Proximal } from '@lethe/numerics';

/**
 * Features `[rows, columns]`, row-major or as sparse rows, and labels `[rows]`, or `[rows, width]` of a loss
 * with vector labels, row-major; a design matrix is one.
 */
export interface LabelledRowsOf<Features extends Float64Array | CsrMatrix> {
  readonly features: Features;
  readonly rows: number;
  readonly columns: number;
  readonly labels: Float64Array;
}

/** Dense or sparse rows with their labels. */
export type LabelledRows = LabelledRowsOf<Float64Array> | LabelledRowsOf<CsrMatrix>;

/** A minimiser of the average risk plus any regulariser, with its certificate. */
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
   * `gap`: the loss is convex, and `gap` is small after a successful search. `stationary`: the loss is not
   * convex; the point is the best stationary one of several descents, a better one may exist, and `gap` only
   * uses that losses are not negative.
   */
  readonly certified: 'gap' | 'stationary';
  /** Passes over the data. */
  readonly passes: number;
}

/** Regulariser and stopping rule of the search. */
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
