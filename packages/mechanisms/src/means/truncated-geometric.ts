import { exponentOf } from '@lethe/numerics';
import { InvalidParameter, type RandomSource } from '@lethe/core';

/** The distribution of a level: `P[N = k] = C 2^−k` on `0 … most`, `C = 2^most / (2^(most+1) − 1)`. */
export interface TruncatedGeometric {
  readonly most: number;
  /** `P[N = level]`: a quotient of whole numbers, correctly rounded; 0 for what is no level. */
  probability(level: number): number;
  /** `P[N ≤ level]`, correctly rounded; 0 for NaN. */
  cumulative(level: number): number;
  /** `1 / P[N = level]`, exact: a whole number divided by a power of two. */
  inverseProbability(level: number): number;
  /** Draws a level exactly, from one uniform whole number: no floating-point number decides. */
  draw(random: RandomSource): number;
  /** Of the batch's size `b = 2^(N+1)`: `E b = 2C(most + 1)`, and `E b² = 2^(most+2)`. */
  readonly batch: Moments;
  /**
   * Of `3b + 1`, which a release is charged in proportion to: `E = 6C(most + 1) + 1`, and of the square
   * `18·2^(most+1) + 12C(most + 1) + 1`.
   */
  readonly charge: Moments;
}

/** First and second moment. */
export interface Moments {
  readonly mean: number;
  readonly meanSquare: number;
}

/**
 * The truncated geometric distribution of levels.
 *
 * @param most - The highest level: a whole number from 0 to 50.
 * @throws {InvalidParameter} for any other.
 * @see Ghazi and others, Definition 5.1.
 */
export function truncatedGeometric(most: number): TruncatedGeometric {
  if (!Number.isSafeInteger(most) || most < 0 || most > 50)
    throw new InvalidParameter(`the highest level is ${most}; it must be a whole number from 0 to 50`, {
      most,
    });
  // The level k has 2^(most − k) of so many equally likely cases.
  const cases = 2 ** (most + 1) - 1;
  const constant = 2 ** most / cases;
  const meanBatch = 2 * constant * (most + 1);
  const isLevel = (level: number): boolean => Number.isSafeInteger(level) && level >= 0 && level <= most;
  return Object.freeze({
    most,
    probability: (level: number) => (isLevel(level) ? 2 ** (most - level) / cases : 0),
    cumulative: (level: number) => {
      if (!(level >= 0)) return 0;
      return level >= most ? 1 : (2 ** (most + 1) - 2 ** (most - Math.floor(level))) / cases;
    },
    inverseProbability(level: number) {
      if (isLevel(level)) return cases * 2 ** (level - most);
      throw new InvalidParameter(`level ${level} has probability 0; give a whole number from 0 to ${most}`, {
        level,
        most,
      });
    },
    draw: (random: RandomSource) => most - exponentOf(random.integer(cases) + 1),
    batch: Object.freeze({ mean: meanBatch, meanSquare: 2 ** (most + 2) }),
    charge: Object.freeze({ mean: 3 * meanBatch + 1, meanSquare: 18 * 2 ** (most + 1) + 6 * meanBatch + 1 }),
  });
}

/**
 * The distribution of levels for a batch of a number of slots: {@link truncatedGeometric} up to
 * `⌊log₂ slots⌋ − 1`, so that the largest batch has more than half of them.
 *
 * @throws {InvalidParameter} unless `slots` is a whole number from 2 to 2^51.
 */
export function levelsFor(slots: number): TruncatedGeometric {
  if (!Number.isSafeInteger(slots) || slots < 2 || slots > 2 ** 51)
    throw new InvalidParameter(`${slots} slots were given; levels need a whole number from 2 to 2^51`, {
      slots,
    });
  return truncatedGeometric(exponentOf(slots) - 1);
}
