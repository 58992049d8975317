/**
 * Wealth of a gambler who bets against a null hypothesis: starts at 1, is never negative, and is not expected to grow while the
 * hypothesis holds. It exceeds `1/α` at *any* time with probability at most α (Ville), so peeking and early stopping are free.
 */
export interface EProcess {
  /** One observation, or one payoff; which, the maker says. @throws {InvalidParameter} for a number the hypothesis excludes outright, NaN included. */
  push(x: number): void;
  /** Natural logarithm of the wealth now. Only this may be averaged with that of others. */
  readonly logE: number;
  /** Natural logarithm of the largest wealth so far. Decides about this process alone; never average it. */
  readonly peak: number;
  readonly samples: number;
  /** Whether the hypothesis is rejected at level `alpha`: `peak ≥ ln(1/alpha)`. */
  rejects(alpha: number): boolean;
}

/** An {@link EProcess} about two laws, fed with one observation of each at a time. */
export interface PairedEProcess extends Omit<EProcess, 'push'> {
  push(fromP: number, fromQ: number): void;
}
