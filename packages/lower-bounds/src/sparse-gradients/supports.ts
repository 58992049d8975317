import { InvalidParameter, type RandomSource } from '@lethe/core';
import { logSumExp } from '@lethe/numerics';
import { logPackingPromise } from './packing.js';

/**
 * Flat sparse vectors: `1/√s` on a support of s columns out of t, and 0 elsewhere. They are the alphabet of
 * the packing bounds.
 */
export interface FlatVectors {
  /** t. */
  readonly columns: number;
  /** s, at most `max(1, t/2)`. */
  readonly entries: number;
}

/** How well flat vectors can be told apart. */
export interface Separation {
  /** Smallest distance that counts as apart; at least `1/√2`. */
  readonly distance: number;
  /** ln of the number of vectors over the most that lie pairwise closer than `distance`. */
  readonly logRatio: number;
  /** Whether distinct vectors are always apart, so that `logRatio` is ln of their number. */
  readonly distinct: boolean;
}

/** Entries up to which supports are counted exactly. */
const mostCounted = 256;

/**
 * Number of flat vectors that can be told apart. Two supports that differ in j places are `√(2j/s)` apart.
 * With `j₀ = ⌈s/4⌉`, at most `Σ_{j<j₀} C(s,j)·C(t−s,j)` of the `C(t,s)` vectors are closer than `√(2j₀/s)` to
 * one of them. Above 256 entries the ratio is the closed form `(t/s − ½)^{s/2}` of the source, which is
 * smaller.
 *
 * @throws {InvalidParameter} unless `1 ≤ s ≤ max(1, t/2)`, both whole.
 * @see Ghazi and others, Lemma A.1, whose greedy packing has at least as many points.
 */
export function separationOf({ columns: t, entries: s }: FlatVectors): Separation {
  if (!Number.isSafeInteger(t) || !Number.isSafeInteger(s) || s < 1 || s > Math.max(1, t / 2))
    throw new InvalidParameter(
      `${s} entries of ${t} columns were given; take whole numbers, with 1 to half the columns as entries`,
      { columns: t, entries: s },
    );
  if (s > mostCounted) return { distance: Math.SQRT1_2, logRatio: logPackingPromise(t, s), distinct: false };
  const apart = Math.ceil(s / 4);
  let [logCount, logTerm] = [0, 0];
  for (let i = 0; i < s; i++) logCount += Math.log((t - i) / (i + 1));
  const close = Array.from({ length: apart }, (_, j) => {
    const own = logTerm;
    logTerm += Math.log(s - j) + Math.log(t - s - j) - 2 * Math.log(j + 1);
    return own;
  });
  return {
    distance: Math.sqrt((2 * apart) / s),
    logRatio: logCount - logSumExp(close),
    distinct: apart === 1,
  };
}

/**
 * Bound on the probability that an answer is closer than half the distance to the records' vector, for a
 * vector drawn uniformly and `copies` of it among records that are otherwise public.
 *
 * With N vectors of which at most V are pairwise close, group privacy gives `P_ℓ(B_ℓ) ≤ e^x P_j(B_ℓ)`,
 * `x = ε·copies`; summed over ℓ and j, the average of `P_ℓ(B_ℓ)` is at most `V e^x/(e^x + N − 1)`. For V = 1
 * and one copy the randomised response over N values attains it.
 *
 * @param exponent - `x`, at least 0.
 * @see Ghazi and others, Lemma A.3, which has N points that are all apart, and one half for the bound.
 */
export function closeAnswerWithin(
  exponent: number,
  { logRatio, distinct }: Omit<Separation, 'distance'>,
): number {
  if (!distinct) return Math.min(1, Math.exp(exponent - logRatio));
  return 1 / (1 + Math.exp(logRatio - exponent) - Math.exp(-exponent));
}

/** The largest x at which {@link closeAnswerWithin} is at most `most`, in (0, 1); negative for none. */
export const exponentFor = (most: number, { logRatio, distinct }: Separation): number =>
  distinct && logRatio > 0
    ? logRatio + Math.log1p(-Math.exp(-logRatio)) + Math.log(most) - Math.log1p(-most)
    : logRatio + Math.log(most);

/** A uniformly random support: `entries` of `columns` columns, ascending. */
export function drawSupport({ columns, entries }: FlatVectors, random: RandomSource): Uint32Array {
  // Floyd's algorithm: every subset is as likely as another, after as many draws as there are entries.
  const chosen = new Set<number>();
  for (let last = columns - entries; last < columns; last++) {
    const candidate = random.integer(last + 1);
    chosen.add(chosen.has(candidate) ? last : candidate);
  }
  return Uint32Array.from(chosen).toSorted();
}
