/** What has been gathered against a null hypothesis so far. */
export interface Evidence {
  /** Natural logarithm of the wealth now. Only this may be averaged with that of others. */
  readonly logE: number;
  /** Natural logarithm of the largest wealth so far. Decides about this process alone; never average it. */
  readonly peak: number;
  /** Observations taken in. */
  readonly samples: number;
  /**
   * Whether the hypothesis is rejected at level `alpha`: `peak ≥ ln(1/alpha)`.
   *
   * @throws {InvalidParameter} unless `0 < alpha < 1`.
   */
  rejects(alpha: number): boolean;
}

/**
 * Wealth of a gambler who bets against a null hypothesis: starts at 1, is never negative, and is not expected to grow while the
 * hypothesis holds. It exceeds `1/α` at *any* time with probability at most α (Ville), so peeking and early stopping are free.
 *
 * An `Observation` is the tuple of what belongs together at one time.
 */
export interface Process<Observation extends readonly unknown[]> extends Evidence {
  /** Takes in one observation. @throws {InvalidParameter} for one the hypothesis excludes outright, NaN included; nothing is taken in then. */
  push(...observation: Observation): void;
}

/** A process fed with numbers, one at a time. */
export interface EProcess extends Process<[x: number]> {}
/** A process about two laws, fed with one number from each at a time. */
export interface PairedEProcess extends Process<[fromP: number, fromQ: number]> {}
/** A process fed with vectors. */
export interface VectorEProcess extends Process<[x: ArrayLike<number>]> {}
