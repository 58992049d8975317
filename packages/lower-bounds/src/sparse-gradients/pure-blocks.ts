import { InvalidParameter } from '@lethe/core';
import { failureNeeded, wholeGrid } from './blocks.js';
import { closeAnswerWithin, exponentFor, separationOf } from './supports.js';

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
 * The blocks with the largest proved error: K blocks of `t = ⌊d/K⌋` columns with `n₀ ≤ n/K` copies each of a
 * uniform flat vector. A block fails, by `(n₀/n)·distance/2` or more, with probability `1 −`
 * `closeAnswerWithin`. With n₀ so small that f of them fail with probability ρ, {@link failureNeeded},
 * `α = (distance/2)(n₀/n)√f`.
 *
 * K is tried on a grid of 16 numbers in each octave, f at the sixteenths of K, and n₀ is the largest for
 * both.
 *
 * @throws {InvalidParameter} where no block can hold a single record: then the answer can be right with more
 * than probability `1 − ρ`, as that of a randomised response is for large ε.
 * @see Ghazi and others, Lemmas 4.3, A.1, A.2 and A.3 and Theorem 4.1.
 */
export function pureBlocks({ n, dimension, sparsity, epsilon, probability }: PureSetting): PureBlocks {
  let best: PureBlocks | undefined;
  for (const blocks of wholeGrid(Math.min(n, dimension))) {
    const columnsPerBlock = Math.floor(dimension / blocks);
    const entries = Math.max(1, Math.min(sparsity, Math.floor(columnsPerBlock / 2)));
    const separation = separationOf({ columns: columnsPerBlock, entries });
    for (const failing of shares(blocks)) {
      const needed = failureNeeded(failing, blocks, probability);
      const most = Math.floor(exponentFor(1 - needed, separation) / epsilon);
      const copies = Math.min(Math.floor(n / blocks), most);
      if (!(copies >= 1)) break;
      const scale = (separation.distance / 2) * (copies / n);
      const error = scale * Math.sqrt(failing);
      if (best !== undefined && error <= best.error) continue;
      const each = 1 - closeAnswerWithin(epsilon * copies, separation);
      const rootMeanSquare = scale * Math.sqrt(each * blocks);
      best = { blocks, copies, columnsPerBlock, entries, error, rootMeanSquare };
    }
  }
  if (best !== undefined) return best;
  throw new InvalidParameter(
    `epsilon is ${epsilon} in dimension ${dimension}: one record alone can be answered rightly with ` +
      `more than probability ${1 - probability}, so that no bound is known; give a smaller epsilon or ` +
      'probability, or more dimensions',
    { epsilon, dimension, probability },
  );
}

/** Numbers of failing blocks to try: all up to 32, or the sixteenths, ascending. */
const shares = (blocks: number): readonly number[] =>
  blocks <= 32
    ? Array.from({ length: blocks }, (_, i) => i + 1)
    : [...new Set([1, ...Array.from({ length: 16 }, (_, j) => Math.ceil((blocks * (j + 1)) / 16))])];
