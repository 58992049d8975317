import { acSaExcessRisk } from './ac-sa-schedule.js';
import { clipNormOf, errorOf, wholeRounds, type OnePassFacts, type OnePassOverrides, type OnePassSchedule } from './one-pass-facts.js';
import type { ScheduleName } from './private-mean.js';

/** What Theorem 31 reads. */
export interface SmoothConvexFacts extends OnePassFacts {
  /** `β ≥ 0`, of the population risk. */
  readonly smoothness: number;
  readonly diameter: number;
}

/** Numbers of a run of Algorithm 2, and its bound. */
export interface SmoothConvexSchedule extends OnePassSchedule {
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
}

/**
 * Rounds, clip norm and step scale of Theorem 31, from the noise really used.
 *
 * `printed` follows the paper's text. `corrected` uses `r_2` in the second branch of the number of rounds, without which the
 * stated bound does not follow, and the clip's sharp bias bound, smaller by `(1 − 1/k)^k` or more. The bound is for the whole numbers and the noise
 * of the schedule, in both.
 */
export function smoothConvexSchedule(facts: SmoothConvexFacts, schedule: ScheduleName, overrides: OnePassOverrides = {}): SmoothConvexSchedule {
  const { slots: n, dimension: d, smoothness: beta, diameter: D, moment, epsilon } = facts;
  const rounds = wholeRounds(roundsOf(facts, schedule), overrides.rounds, facts);
  const clipNorm = overrides.clipNorm ?? clipNormOf(facts, (epsilon * n) / Math.sqrt(d * rounds));
  const batchSize = Math.floor(n / rounds), { noise, bias, variance } = errorOf(facts, schedule)(clipNorm, batchSize);
  const error = Math.sqrt(variance + bias ** 2);
  // A linear risk whose gradients are known is minimised at any scale.
  const eta = Math.max(2 * beta, (rounds ** 1.5 * error) / D) || (moment / D) * 2 ** -30;
  const path = { rounds, eta, error, bias, diameter: D };
  return { rounds, batches: rounds, batchSize, clipNorm, eta, noise, bias, variance, excessRisk: acSaExcessRisk(path), printedBound: acSaExcessRisk(path, 'printed') };
}

/** `T` as a real number: the smaller of the two branches. Zero smoothness gives one round. */
function roundsOf({ slots: n, dimension: d, smoothness: beta, diameter: D, order: k, moment, secondMoment, epsilon }: SmoothConvexFacts, schedule: ScheduleName): number {
  const noisy = ((beta * D) / moment) ** (2 / (5 - 1 / k)) * ((epsilon * n) / Math.sqrt(d)) ** ((2 - 2 / k) / (5 - 1 / k));
  const statistical = Math.sqrt((beta * D) / (schedule === 'corrected' ? secondMoment : moment)) * n ** 0.25;
  return Math.min(noisy, statistical);
}
