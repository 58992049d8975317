/** Evidence against a null hypothesis so far. */
export interface Evidence {
  /** Natural logarithm of the current wealth. Only this may be averaged with other processes. */
  readonly logE: number;
  /** Natural logarithm of the largest wealth so far. Valid for this process alone; never average it. */
  readonly peak: number;
  /** Number of observations. */
  readonly samples: number;
  /**
   * The log-wealth after so many observations if all had spoken against the hypothesis as clearly as its
   * constructor says. Below `ln(1/alpha)` these observations could not have rejected it.
   */
  readonly reach: number;
  /**
   * Whether the hypothesis is rejected at level `alpha`: `peak ≥ ln(1/alpha)`.
   *
   * @throws {InvalidParameter} unless `0 < alpha < 1`.
   */
  rejects(alpha: number): boolean;
}

/**
 * Wealth of a bettor against a null hypothesis: starts at 1, is non-negative, and a supermartingale under the
 * hypothesis. It exceeds `1/α` at *any* time with probability at most α (Ville), so monitoring and early
 * stopping are free. An `Observation` is a tuple of simultaneous values.
 */
export interface Process<Observation extends readonly unknown[]> extends Evidence {
  /**
   * Adds one observation.
   * @throws {InvalidParameter} for one that the hypothesis excludes, NaN included; it is not added then.
   */
  push(...observation: Observation): void;
}

/** A process fed with numbers, one at a time. */
export interface EProcess extends Process<[x: number]> {}
/** A process about two distributions, fed with one number from each at a time. */
export interface PairedEProcess extends Process<[fromP: number, fromQ: number]> {}
/** A process fed with vectors. */
export interface VectorEProcess extends Process<[x: ArrayLike<number>]> {}
