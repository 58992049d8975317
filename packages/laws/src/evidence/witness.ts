/** What a randomised algorithm puts out: a number, or so many of them. */
export type Output = number | ArrayLike<number>;

/**
 * Guesses which of two laws an output came from. Everything it says rests on outputs it has learned from earlier, so that
 * betting on what it says next is fair.
 */
export interface Witness {
  readonly name: string;
  /** Whether it has an opinion yet. Bets begin with it. */
  readonly ready: boolean;
  /** Its estimate of `ln p(y)/q(y)`; 0 for no opinion, `±Infinity` for what one of the two never does. */
  score(y: ArrayLike<number>): number;
  /** Takes in a draw of either. */
  learn(fromP: ArrayLike<number>, fromQ: ArrayLike<number>): void;
}

/** Nothing to learn: `logRatio` is `ln p(y)/q(y)` of the laws as they are claimed, or any guess made in advance. */
export const knownRatio = (logRatio: (y: ArrayLike<number>) => number): Witness => ({ name: 'known ratio', ready: true, score: logRatio, learn: () => {} });

/** The event on which all is bet: more likely under `P` than `e^ε` times under `Q`, whatever `ε`. */
export const knownEvent = (name: string, contains: (y: ArrayLike<number>) => boolean): Witness =>
  ({ name, ready: true, score: (y) => (contains(y) ? Infinity : 0), learn: () => {} });
