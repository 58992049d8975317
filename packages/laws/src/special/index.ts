import { InvalidParameter } from '@lethe/core';
import { bisectDown, bisectUp } from '@lethe/numerics';
import { lowerTail, upperTail } from './binomial-tail.js';

/** Bounds of a success probability. */
export interface ProbabilityInterval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Exact bounds of a success probability from independent trials, rounded outward. Each of the two is wrong
 * with probability at most `alpha`; both hold together with probability `1 − 2·alpha`. Tail masses are exact
 * to 5e-12 for up to 1e5 trials and `alpha ≥ 1e-20`.
 *
 * @see Clopper & Pearson, The use of confidence or fiducial
 * limits illustrated in the case of the binomial (1934).
 * @throws {InvalidParameter} for counts that are not whole numbers with `0 ≤ successes ≤ trials`,
 * `trials ≥ 1`, or `alpha` outside (0, 1).
 */
export function clopperPearson(successes: number, trials: number, alpha: number): ProbabilityInterval {
  requireCounts(successes, trials);
  if (!(alpha > 0 && alpha < 1))
    throw new InvalidParameter(`alpha is ${alpha}; give a probability above 0 and below 1`, { alpha });
  return {
    lower: successes === 0 ? 0 : bisectDown((p) => upperTail(successes, trials, p) - alpha, 0, 1),
    upper: successes === trials ? 1 : bisectUp((p) => lowerTail(successes, trials, p) - alpha, 0, 1),
  };
}

/**
 * `P(Bin(trials, probability) ≥ successes)`, exact to 1e-9.
 *
 * @throws {InvalidParameter} as {@link clopperPearson}, or for a `probability` outside [0, 1].
 */
export function binomialAtLeast(successes: number, trials: number, probability: number): number {
  requireCounts(successes, trials);
  requireProbability(probability);
  return upperTail(successes, trials, probability);
}

/**
 * `P(Bin(trials, probability) ≤ successes)`, exact to 1e-9.
 * @throws {InvalidParameter} as {@link binomialAtLeast}.
 */
export function binomialAtMost(successes: number, trials: number, probability: number): number {
  requireCounts(successes, trials);
  requireProbability(probability);
  return lowerTail(successes, trials, probability);
}

function requireProbability(probability: number): void {
  if (!(probability >= 0 && probability <= 1))
    throw new InvalidParameter(`probability is ${probability}; give a number from 0 to 1`, { probability });
}

function requireCounts(successes: number, trials: number): void {
  if (
    Number.isSafeInteger(successes) &&
    Number.isSafeInteger(trials) &&
    trials >= 1 &&
    successes >= 0 &&
    successes <= trials
  )
    return;
  throw new InvalidParameter(
    `${successes} successes in ${trials} trials; give integers, ` +
      'at least one trial and no more successes than trials',
    { successes, trials },
  );
}
