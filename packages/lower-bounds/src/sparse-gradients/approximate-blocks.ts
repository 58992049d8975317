import { InvalidParameter } from '@lethe/core';
import { wholeGrid } from './blocks.js';
import { fingerprintingMeanSquare } from './fingerprints.js';

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
 * The blocks with the largest proved error: K blocks of s columns, each with m rows of random signs in k
 * copies. Each block contributes at least `(mk/n)²v` to the mean squared error, with v from
 * {@link fingerprintingMeanSquare}, and no more than `4(mk/n)²` once entries are held to the range of the
 * mean. So `E‖error‖² ≥ (mk/n)²Kv`, and `‖error‖ ≥ (mk/n)√(Kτ)` with probability ρ, `τ = (v − 4ρ)/(1 − ρ)`.
 *
 * @throws {InvalidParameter} where no number of rows gives a bound, as where `ln(1/δ)` or ε is large beside
 * s.
 * @see Ghazi and others, Lemma 4.3 and Theorem 4.5.
 */
export function approximateBlocks(setting: ApproximateSetting): ApproximateBlocks {
  const { n, dimension, sparsity, epsilon, delta, probability } = setting;
  let best: ApproximateBlocks | undefined;
  for (const distinct of wholeGrid(n)) {
    let found = false;
    for (const copies of wholeGrid(Math.floor(n / distinct))) {
      const meanSquare = fingerprintingMeanSquare({ distinct, copies, sparsity, epsilon, delta });
      const tau = (meanSquare - 4 * probability) / (1 - probability);
      if (!(tau > 0)) break;
      found = true;
      const blocks = Math.floor(Math.min(n / (distinct * copies), dimension / sparsity));
      const scale = (distinct * copies) / n;
      const error = scale * Math.sqrt(blocks * tau);
      if (best === undefined || error > best.error)
        best = { blocks, distinct, copies, error, rootMeanSquare: scale * Math.sqrt(blocks * meanSquare) };
    }
    if (!found) break;
  }
  if (best !== undefined) return best;
  throw new InvalidParameter(
    `epsilon = ${epsilon} and delta = ${delta} for ${sparsity} entries of a record: ` +
      'nothing is proved for so little privacy; give a smaller epsilon, ' +
      'a delta well below 1/n, a larger sparsity or a smaller probability',
    { epsilon, delta, sparsity, probability },
  );
}
