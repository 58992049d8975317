import { effectiveSize, type Silos } from './silos.js';
import { batchSizeOf } from './stream-over-batches.js';

/** Records of a round in each silo: `⌊n_i / T⌋`. */
export const sizesOf = (rounds: number, { slots }: Silos): readonly number[] =>
  slots.map((one) => batchSizeOf(rounds, one));

/**
 * The most rounds up to a number that leave few records unread: `T` rounds of `⌊n/T⌋` records read nearly all
 * of them for some `T` only, 544 of 1024 for `T = 544`. On one machine and on silos of equal size the rounds
 * that are found leave `√n` of the `n` records of each at most, and are at least half as many, less one half.
 * On silos of unequal size, where no number of rounds may fit them all, they leave the least unread, counted
 * by the variance of an average over all that is read.
 *
 * @param most - At most the records of the smallest silo.
 */
export function wholeRounds(most: number, silos: Silos): number {
  const all = effectiveSize(silos, silos.slots);
  const enough = 1 - 1 / Math.sqrt(Math.min(...silos.slots));
  let best = { rounds: most, read: 0 };
  // Between two of these the batches are the same and more rounds read more.
  for (let rounds = most; rounds >= (most - 1) / 2 && rounds >= 1; rounds = nextFewer(rounds, silos)) {
    const read = (rounds * effectiveSize(silos, sizesOf(rounds, silos))) / all;
    if (read >= enough) return rounds;
    if (read > best.read) best = { rounds, read };
  }
  return best.rounds;
}

/** The most rounds of fewer with a larger batch in some silo. */
const nextFewer = (rounds: number, { slots }: Silos): number =>
  Math.max(...slots.map((one) => Math.floor(one / (Math.floor(one / rounds) + 1))));
