/** An output of a randomised algorithm: a number, or several. */
export type Output = number | ArrayLike<number>;

/**
 * Scores from which of two distributions an output came. The score depends on earlier outputs only, so that
 * bets on the next one are fair.
 */
export interface Witness {
  readonly name: string;
  /** Whether its score is available. Bets start then. */
  readonly ready: boolean;
  /** Pairs that it still learns from before its first bet, at least. @defaultValue 0 */
  readonly wait?: number;
  /**
   * Its estimate of `ln p(y)/q(y)`; 0 without information,
   * `±Infinity` for outputs that one of the two never has.
   */
  score(y: ArrayLike<number>): number;
  /** Learns from one draw of each. */
  learn(fromP: ArrayLike<number>, fromQ: ArrayLike<number>): void;
}

/** A fixed score: `logRatio` is `ln p(y)/q(y)` of the claimed distributions, or any guess made in advance. */
export const knownRatio = (logRatio: (y: ArrayLike<number>) => number): Witness => ({
  name: 'known ratio',
  ready: true,
  score: logRatio,
  learn: () => {},
});

/** A fixed event to bet on: likelier under `P` than `e^ε` times its probability under `Q`, for any `ε`. */
export const knownEvent = (name: string, contains: (y: ArrayLike<number>) => boolean): Witness => ({
  name,
  ready: true,
  score: (y) => (contains(y) ? Infinity : 0),
  learn: () => {},
});
