import { addUp, divideDown, divideUp, logUp, multiplyDown, multiplyUp, sqrtUp } from '@lethe/numerics';
import { Unsupported } from '@lethe/core';
import type { ShuffleTarget } from './shuffle-context.js';

/**
 * Sensitivity of the counts of one protocol to a user, in units of the range of a count: the sum and the root
 * of the sum of squares, over counts, of `2/levels + |change|/range`, at most; over neighbouring records.
 */
export interface Exposure {
  readonly counts: number;
  readonly sum: number;
  readonly root: number;
}

/**
 * The cost of each of several counts such that all together meet the target: ε divided by basic composition,
 * δ evenly; or ε by advanced composition, `S/2 + √(2 ln(2/δ) S)` for `S` the sum of squares, with half of δ,
 * and the rest of δ evenly. The one that needs less noise.
 *
 * A count of `levels` levels costs a user who moves it by `change` at
 * most `ε̂ (2/levels + change/range)`, where ε̂ is what is returned.
 *
 * @see Bun and Steinke 2016, Propositions 1.3 and 1.4; Kairouz, Oh
 * and Viswanath 2015 for the part of δ that adds up.
 */
export function shareOf(
  { epsilon, delta }: ShuffleTarget,
  { counts, sum, root }: Exposure,
  levels: number,
): ShuffleTarget {
  const log = logUp(divideUp(2, delta));
  const advanced = divideDown(
    multiplyDown(2, epsilon),
    addUp(sqrtUp(addUp(multiplyUp(2, log), multiplyUp(2, epsilon))), sqrtUp(multiplyUp(2, log))),
  );
  const shares = [
    { epsilon: divideDown(epsilon, sum), delta: divideDown(delta, counts) },
    { epsilon: divideDown(advanced, root), delta: divideDown(delta, multiplyUp(2, counts)) },
  ].map((share) => ({ epsilon: Math.min(share.epsilon, 15, levels), delta: share.delta }));
  return shares.reduce((best, share) =>
    noiseBitsNeeded(levels, share) < noiseBitsNeeded(levels, best) ? share : best,
  );
}

/**
 * Fair bits that all honest users together must add to a count of `levels` levels, so that a user who moves
 * it by `k` of them is hidden within `(k ε̂/levels, δ̂)`: `180 levels² ln(2/δ̂)/ε̂²`, rounded up.
 *
 * The lemma is stated for bits of probability `p = 90 levels² ln(2/δ̂)/(bits · users · ε̂²) < ½`. Fair bits
 * are the limit of it, as divergences are continuous in `p`: they need the fewest messages and vary the
 * least. What it asks of `levels` besides is for the error, not for privacy; its steps hold for `ε̂ ≤ 15` and
 * `ε̂ ≤ levels`.
 *
 * @see Lowy and Razaviyayn, Lemma 56, which is from Cheu, Joseph, Mao and Peng 2022.
 */
export const noiseBitsNeeded = (levels: number, { epsilon, delta }: ShuffleTarget): number =>
  divideUp(
    multiplyUp(multiplyUp(multiplyUp(180, levels), levels), logUp(divideUp(2, delta))),
    multiplyDown(epsilon, epsilon),
  );

/**
 * Number of fair bits that each user adds to a count, such that those of the honest users suffice.
 *
 * @throws {Unsupported} when a user would have to send more than
 * 2³² messages: with more honest users, each sends fewer.
 */
export function noiseBitsPerUser(needed: number, honestUsers: number, counts: number): number {
  const noiseBits = Math.max(1, Math.ceil(divideUp(needed, honestUsers)));
  if (noiseBits * counts < 2 ** 32) return noiseBits;
  const fewest = Math.ceil((needed * counts) / 2 ** 31);
  throw new Unsupported(
    `${honestUsers} honest users are too few: each would send ${noiseBits * counts} messages, ` +
      `and 2^32 are the limit; ${fewest} honest users, a larger epsilon or fewer levels will do`,
    { honestUsers, fewest },
  );
}
