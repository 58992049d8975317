import { InvalidParameter } from '@lethe/core';
import { wholeGrid } from './blocks.js';
import { fingerprintingMeanSquare } from './fingerprints.js';
import { candidates } from './pure-blocks.js';

/** What the bound under (ε, δ) is for. */
export interface ApproximateSetting {
  readonly n: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
  /** ρ: probability with which the error is to be as large as the bound. */
  readonly probability: number;
}

/** Blocks of the hard records, and what they prove for records of norm 1. */
export interface ApproximateBlocks {
  /** K. */
  readonly blocks: number;
  /** m. */
  readonly distinct: number;
  /** k. */
  readonly copies: number;
  /** α: the error is at least this with probability ρ. */
  readonly error: number;
  /** Bound on `√E‖error‖²`. */
  readonly rootMeanSquare: number;
}

/**
 * The blocks with the largest proved error: K blocks of s columns, each with m rows of random signs in k copies.
 * Each block contributes at least `(mk/n)²v` to the mean squared error, with v from {@link fingerprintingMeanSquare},
 * and no more than `4(mk/n)²` once entries are held to the range of the mean. So `E‖error‖² ≥ (mk/n)²Kv`, and
 * `‖error‖ ≥ (mk/n)√(Kτ)` with probability ρ, `τ = (v − 4ρ)/(1 − ρ)`.
 *
 * @throws {InvalidParameter} where no number of rows gives a bound, as where `ln(1/δ)` or ε is large beside s.
 * @see Ghazi and others, Lemma 4.3 and Theorem 4.5.
 */
export function approximateBlocks(setting: ApproximateSetting): ApproximateBlocks {
  const { n, dimension, sparsity, epsilon, delta, probability } = setting;
  const mostBlocks = Math.floor(dimension / sparsity);
  let best: ApproximateBlocks | undefined;
  for (const distinct of wholeGrid(Math.min(n, 2 ** 53 - 1))) {
    const tau = (copies: number): number =>
      (fingerprintingMeanSquare({ distinct, copies, sparsity, epsilon, delta }) - 4 * probability) /
      (1 - probability);
    if (!(tau(1) > 0)) break;
    const most = Math.floor(n / distinct);
    const worth = (copies: number, blocks: number): number => copies * Math.sqrt(blocks * Math.max(0, tau(copies)));
    const crowded = Math.max(1, Math.floor(most / mostBlocks));
    // Up to `crowded` copies all blocks are filled; beyond, each has fewer rows to share.
    for (const copies of [
      ...candidates(crowded, (count) => worth(Math.floor(count), mostBlocks)),
      ...candidates(most, (count) => worth(Math.floor(count), most / Math.floor(count))),
    ]) {
      const blocks = Math.min(Math.floor(most / copies), mostBlocks);
      const meanSquare = blocks < 1 ? 0 : Math.max(0, tau(copies));
      const scale = (distinct * copies) / n;
      const error = scale * Math.sqrt(blocks * meanSquare);
      if (error > (best?.error ?? 0))
        best = {
          blocks,
          distinct,
          copies,
          error,
          rootMeanSquare:
            scale *
            Math.sqrt(blocks * fingerprintingMeanSquare({ distinct, copies, sparsity, epsilon, delta })),
        };
    }
  }
  if (best !== undefined) return best;
  throw new InvalidParameter(
    `epsilon = ${epsilon} and delta = ${delta} for ${sparsity} entries of a record: nothing is proved for so ` +
      `little privacy; give a smaller epsilon, a delta well below 1/n, a larger sparsity or a smaller probability`,
    { epsilon, delta, sparsity, probability },
  );
}
