import {
  ask,
  InvalidParameter,
  type Program,
  type Batch,
  type MeanQuery,
  type Vector,
  type Where,
} from '@lethe/core';
import { nestedBatches, singleRecord } from '../samplers/nested-batches.js';
import { levelsFor } from './truncated-geometric.js';

/** Point, batch and level of an estimate, and the mean and target of each of its four releases. */
export type BiasReducedEstimate = Where & {
  readonly coordinates?: Uint32Array;
  /** Of exact size, at least 2. */
  readonly from: Batch;
  /** Drawn from public randomness by {@link levelsFor}, before the first query. */
  readonly level: number;
  /**
   * The mean and target for a number of slots, from public numbers
   * alone. The published form gives every call a quarter of ε and δ.
   */
  readonly release: (slots: number) => Pick<MeanQuery, 'mean' | 'target'>;
};

/**
 * A gradient estimate with the bias of a mean over more than half of all slots, from about `log₂ slots`
 * records in expectation. It combines means over a batch B of `2^(level+1)` slots, over its halves O and E,
 * and over one independently drawn slot I, as `(m(B) − (m(O) + m(E))/2) / P[N = level] + m(I)`. Averaged over
 * the level the sum telescopes: the expectation is that of one mean over `2^⌊log₂ slots⌋` slots drawn at
 * random, for any bias of the single means.
 *
 * Asks for two draws, one split, four means and two closes. Both scopes
 * are closed when it returns; one that was open on `from` is closed too.
 *
 * @returns the estimate. It has heavy tails: its second moment grows
 * with the logarithm of the slots, see {@link biasReducedBounds}.
 * @throws {InvalidParameter} for a batch of fewer than 2 slots, and a level that is none.
 * @see Ghazi and others, Algorithm 3. O and E are parts by a
 * shuffle: with parts of a sorted batch the sums do not telescope.
 */
export function* biasReducedEstimate({
  from,
  level,
  release,
  ...where
}: BiasReducedEstimate): Program<Vector> {
  const half = 2 ** level;
  const weight = levelsFor(from.normaliser).inverseProbability(level);
  const { whole, odd, even } = yield* nestedBatches({ from, level });
  const all = yield* ask.mean({ ...where, batch: whole, ...release(2 * half) });
  const first = yield* ask.mean({ ...where, batch: odd, ...release(half) });
  const second = yield* ask.mean({ ...where, batch: even, ...release(half) });
  yield* ask.close(whole);
  const single = yield* singleRecord({ from });
  const alone = yield* ask.mean({ ...where, batch: single, ...release(1) });
  yield* ask.close(single);
  return alone.map((x, j) => x + weight * (all[j] - (first[j] / 2 + second[j] / 2)));
}

/** Error bounds of the means in {@link biasReducedEstimate}. */
export interface BiasReducedMeans {
  readonly slots: number;
  /** Bound on `E‖answer − gradient of the batch‖²` for a mean over a number of slots. */
  readonly meanSquaredError: (slots: number) => number;
  /** Bound on `E‖answer‖²` for the mean over one slot. */
  readonly singleMeanSquare: number;
}

/**
 * Bounds on an estimate at a level drawn by {@link levelsFor}: `bias` on
 * `‖E estimate − gradient over all slots‖`, the root of the error of the largest batch, and `meanSquare` on
 * `E‖estimate‖²`, `2·single + Σₖ 4 (error(2^(k+1)) + error(2^k)) / P[N = k]`. Not rounded outwards.
 *
 * @throws {InvalidParameter} for slots out of range, and errors or moments that are negative or NaN.
 * @see Ghazi and others, Lemma 5.4; there the halves count once, where twice is what the argument gives.
 */
export function biasReducedBounds({ slots, meanSquaredError, singleMeanSquare }: BiasReducedMeans): {
  readonly bias: number;
  readonly meanSquare: number;
} {
  const levels = levelsFor(slots);
  const errors = Array.from({ length: levels.most + 2 }, (_, k) =>
    notNegative(meanSquaredError(2 ** k), `the mean squared error over ${2 ** k} slots`),
  );
  const pairs = errors
    .slice(1)
    .reduce((sum, error, k) => sum + levels.inverseProbability(k) * 4 * (error + errors[k]), 0);
  return {
    bias: Math.sqrt(errors[errors.length - 1]),
    meanSquare: 2 * notNegative(singleMeanSquare, 'singleMeanSquare') + pairs,
  };
}

function notNegative(value: number, what: string): number {
  if (value >= 0) return value;
  throw new InvalidParameter(`${what} is ${value}; it must be at least 0`, { what, value });
}
