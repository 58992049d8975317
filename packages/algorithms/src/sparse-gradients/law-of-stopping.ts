import { InvalidParameter, type RandomSource } from '@lethe/core';
import { levelsFor, type TruncatedGeometric } from '@lethe/mechanisms';
import { requirePositive } from '../common/require.js';

/** What the printed stopping rule depends on. */
export interface StoppingSetting {
  /** At least 2. */
  readonly slots: number;
  readonly epsilon: number;
  /** In (0, 1). */
  readonly delta: number;
}

/**
 * The printed rule in whole numbers. A call at level N is charged `Y = 3·2^(N+1) + 1`, which is `16·slots`
 * times its `r`; calls fit while `ΣY ≤ sum` and `ΣY² ≤ squares`.
 */
export interface StoppingLimits {
  /** `4·slots`: the failure probabilities of the calls add up to δ/4. */
  readonly sum: number;
  /** `256·slots²·A`, `A = (√(2ℓ) + √(2ℓ + ε))⁻²`, `ℓ = ln(4/δ)`. */
  readonly squares: number;
}

/** `3·2^(level+1) + 1`: records of the four means of a call, each counted as often as it is used. */
export const chargeOf = (level: number): number => 3 * 2 ** (level + 1) + 1;

/**
 * The limits at which the filter of (ε/2, δ/2) admits no further call.
 *
 * @throws {InvalidParameter} unless `slots` is a whole number from 2 to 2^51, ε positive and δ in (0, 1).
 * @see Ghazi and others, Algorithm 4 and Theorem A.4. Equation 5 has the second sum without its square.
 */
export function stoppingLimits({ slots, epsilon, delta }: StoppingSetting): StoppingLimits {
  levelsFor(slots);
  requirePositive({ epsilon });
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; the printed schedule needs one between 0 and 1`, {
      delta,
    });
  const twice = 2 * (Math.log(4) - Math.log(delta));
  return {
    sum: 4 * slots,
    squares: (256 * slots ** 2) / (Math.sqrt(twice) + Math.sqrt(twice + epsilon)) ** 2,
  };
}

/** Levels of a run, drawn until the rule is broken: all but the last fit. Their number is `T + 1`. */
export function drawnLevels(setting: StoppingSetting, random: RandomSource): readonly number[] {
  const limits = stoppingLimits(setting);
  const levels = levelsFor(setting.slots);
  const drawn: number[] = [];
  for (let sum = 0, squares = 0; sum <= limits.sum && squares <= limits.squares;) {
    const level = levels.draw(random);
    drawn.push(level);
    sum += chargeOf(level);
    squares += chargeOf(level) ** 2;
  }
  return drawn;
}

/** Slots up to which {@link lawOfStopping} is computed; the number of sums grows with their cube. */
export const mostEnumeratedSlots = 128;

/**
 * The law of T, the number of calls that fit, as `P[T = 0], P[T = 1], …`: a dynamic programme over the whole
 * numbers `(ΣY, ΣY²)`. Entries are sums of positive products, correct to about `T` roundings.
 *
 * @throws {InvalidParameter} for more than {@link mostEnumeratedSlots} slots, and as {@link stoppingLimits}.
 */
export function lawOfStopping(setting: StoppingSetting): Float64Array {
  const { slots } = setting;
  const limits = stoppingLimits(setting);
  if (slots > mostEnumeratedSlots)
    throw new InvalidParameter(
      `the law of T over ${slots} slots has too many sums; it is computed for ${mostEnumeratedSlots} at most`,
      { slots },
    );
  const charges = chargesOf(levelsFor(slots));
  const law: number[] = [];
  // ΣY is at most 4·slots, so that one number holds both sums.
  const base = limits.sum + 1;
  let within = new Map([[0, 1]]);
  while (within.size > 0) {
    const next = new Map<number, number>();
    let stopped = 0;
    for (const [state, mass] of within) {
      const sum = state % base;
      const squares = (state - sum) / base;
      for (const { charge, probability } of charges) {
        const [more, moreSquares] = [sum + charge, squares + charge ** 2];
        if (more > limits.sum || moreSquares > limits.squares) stopped += mass * probability;
        else {
          const to = moreSquares * base + more;
          next.set(to, (next.get(to) ?? 0) + mass * probability);
        }
      }
    }
    law.push(stopped);
    within = next;
  }
  return Float64Array.from(law);
}

const chargesOf = (levels: TruncatedGeometric): readonly { charge: number; probability: number }[] =>
  Array.from({ length: levels.most + 1 }, (_, level) => ({
    charge: chargeOf(level),
    probability: levels.probability(level),
  }));

/** Bounds on the law of T from the moments of one call, for any number of slots. */
export interface StoppingBounds {
  /** `ϱ = E[r²]/A + 4E[r]`: `P[T < t] ≤ t·ϱ` by Markov's inequality. */
  readonly rate: number;
  /** `⌊1/(4ϱ)⌋`: `P[T < safeCap] ≤ 1/4`. It may be 0. */
  readonly safeCap: number;
  /** `1/ϱ ≤ E[T + 1] ≤ min{(1/4 + max r)/E[r], 2A/E[min(r², A)]}`, by Wald's identity. */
  readonly expectedCalls: { readonly atLeast: number; readonly atMost: number };
  /** `T ≤ min{⌊4·slots/7⌋, ⌊squares/49⌋}` always, as each `Y` is at least 7. */
  readonly most: number;
}

/**
 * What the moments of a call say of the law of T.
 *
 * @throws as {@link stoppingLimits}.
 * @see Ghazi and others, Lemma 5.5. Its printed upper bound on `E[T]` fails for small δ; these hold for all.
 */
export function stoppingBounds(setting: StoppingSetting): StoppingBounds {
  const { sum, squares } = stoppingLimits(setting);
  const levels = levelsFor(setting.slots);
  const rate = levels.charge.meanSquare / squares + levels.charge.mean / sum;
  const capped = chargesOf(levels).reduce(
    (total, { charge, probability }) => total + probability * Math.min(charge ** 2, squares),
    0,
  );
  return {
    rate,
    safeCap: Math.floor(1 / (4 * rate)),
    expectedCalls: {
      atLeast: 1 / rate,
      atMost: Math.min((sum + chargeOf(levels.most)) / levels.charge.mean, (2 * squares) / capped),
    },
    most: Math.min(Math.floor(sum / 7), Math.floor(squares / 49)),
  };
}

/**
 * A number of calls that T falls below with probability at most `early`: the largest by the exact law where
 * that is computed, else `⌊early/ϱ⌋`. It may be 0.
 *
 * @throws {InvalidParameter} unless `early` is in (0, 1), and as {@link stoppingLimits}.
 */
export function likelyCalls(setting: StoppingSetting, early: number): number {
  if (!(early > 0 && early < 1))
    throw new InvalidParameter(`early is ${early}; it must be between 0 and 1`, { early });
  if (setting.slots > mostEnumeratedSlots) return Math.floor(early / stoppingBounds(setting).rate);
  // More than the roundings of all sums, so that the probability is at most `early` for certain.
  let left = early - 1e-9;
  return lawOfStopping(setting).findIndex((probability) => (left -= probability) < 0);
}
