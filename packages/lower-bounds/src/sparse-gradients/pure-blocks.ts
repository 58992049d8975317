import { InvalidParameter } from '@lethe/core';
import { failingBlocks, failingShare, wholeGrid } from './blocks.js';
import { closeAnswerWithin, exponentFor, separationOf, type Separation } from './supports.js';

/** What the pure bound is for. */
export interface PureSetting {
  readonly n: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  /** ρ: probability with which the error is to be as large as the bound. */
  readonly probability: number;
}

/** Blocks of the hard records, and what they prove for records of norm 1. */
export interface PureBlocks {
  /** K. */
  readonly blocks: number;
  /** n₀: copies of one flat vector in each block. */
  readonly copies: number;
  /** t. */
  readonly columnsPerBlock: number;
  /** Entries of a record: `min(s, ⌊t/2⌋)`, at least 1. */
  readonly entries: number;
  /** α: the error is at least this with probability ρ. */
  readonly error: number;
  /** Bound on `√E‖error‖²`. */
  readonly rootMeanSquare: number;
}

/**
 * The blocks with the largest proved error: K blocks of `t = ⌊d/K⌋` columns with `n₀ ≤ n/K` copies each of a uniform
 * flat vector. A block fails, by `(n₀/n)·distance/2` or more, with probability `ρ₀ = 1 −` {@link closeAnswerWithin};
 * `⌈wK⌉` of them do with probability ρ, `w = (ρ₀ − ρ)/(1 − ρ)`, so that `α = (distance/2)(n₀/n)√⌈wK⌉`.
 *
 * K is tried on a grid of 16 numbers in each octave, and n₀ at the whole numbers around the maximum of `n₀√w`.
 *
 * @throws {InvalidParameter} where no block can hold a single record: then the answer can be right with more than
 * probability `1 − ρ`, as that of a randomised response is for large ε.
 * @see Ghazi and others, Lemmas 4.3, A.1, A.2 and A.3 and Theorem 4.1.
 */
export function pureBlocks(setting: PureSetting): PureBlocks {
  const { n, dimension, sparsity, epsilon, probability } = setting;
  let best: PureBlocks | undefined;
  for (const blocks of wholeGrid(Math.min(n, dimension))) {
    const columnsPerBlock = Math.floor(dimension / blocks);
    const entries = Math.max(1, Math.min(sparsity, Math.floor(columnsPerBlock / 2)));
    const separation = separationOf({ columns: columnsPerBlock, entries });
    const most = Math.min(
      Math.floor(n / blocks),
      Math.floor(exponentFor(1 - probability, separation) / epsilon),
    );
    if (!(most >= 1)) continue;
    for (const copies of candidates(most, (count) => worth(count, separation, setting))) {
      const each = 1 - closeAnswerWithin(epsilon * copies, separation);
      const failing = failingBlocks(failingShare(each, probability), blocks);
      const scale = (separation.distance / 2) * (copies / n);
      const error = scale * Math.sqrt(failing);
      if (best === undefined || error > best.error)
        best = {
          blocks,
          copies,
          columnsPerBlock,
          entries,
          error,
          rootMeanSquare: scale * Math.sqrt(each * blocks),
        };
    }
  }
  if (best !== undefined) return best;
  throw new InvalidParameter(
    `epsilon is ${epsilon} in dimension ${dimension}: one record alone can be answered rightly with more than ` +
      `probability ${1 - probability}, so that no bound is known; give a smaller epsilon or probability, ` +
      'or more dimensions',
    { epsilon, dimension, probability },
  );
}

/** `2 ln n₀ + ln w`, which rises and then falls in n₀. */
function worth(copies: number, separation: Separation, { epsilon, probability }: PureSetting): number {
  const each = 1 - closeAnswerWithin(epsilon * copies, separation);
  return 2 * Math.log(copies) + Math.log(Math.max(0, failingShare(each, probability)));
}

/** Whole numbers up to `most` around the maximum of a function that rises and then falls, and `most`. */
export function candidates(most: number, value: (count: number) => number): readonly number[] {
  let [low, high] = [1, most];
  while (high - low > 2) {
    const third = (high - low) / 3;
    if (value(low + third) < value(high - third)) low += third;
    else high -= third;
  }
  return [...new Set([Math.floor(low), Math.floor(low) + 1, Math.ceil(high), most])].filter(
    (count) => count >= 1 && count <= most,
  );
}
