/**
 * The number K of runs of a selection, at least 1. Its generating function is `f(x) = E x^K`. Where a
 * probability `x` is near 1, its complement `s = 1 − x` is given as well and is the more precise of the two.
 */
export interface Runs {
  /** `log f′(1 − s)`, up to {@link Runs.slopeError}. */
  logSlope(s: number, x?: number): number;
  readonly slopeError: number;
  /** `f(x)`: the probability that all runs have a property of probability `x`. */
  all(x: number, s: number): number;
  /** Bound of the relative error of {@link Runs.all}. */
  readonly allError: number;
  /** `log E K`, rounded up. */
  readonly logMean: number;
  /**
   * The supremum, rounded up, of `log f′(a)/f′(b)` over the probabilities `a` and `b` of one set of outputs
   * on the two sides of an ε-private base.
   */
  worstRatio(epsilon: number): number;
  /** μ, where `f′(x)` is proportional to `e^(μx)`. */
  readonly exponent?: number;
}
