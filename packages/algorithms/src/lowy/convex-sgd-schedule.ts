import { InvalidParameter } from '@lethe/core';
import { clipNormOf, errorOf, wholeRounds, type OnePassFacts, type OnePassOverrides, type OnePassSchedule } from './one-pass-facts.js';
import type { ScheduleName } from './private-mean.js';
import { averagedExcessRisk } from './strongly-convex-risk.js';

/** What steps of one size and a plain average need to know of a convex risk. */
export interface ConvexSgdFacts extends OnePassFacts {
  /** `β ≥ 0`. */
  readonly smoothness: number;
  readonly startDistance: number;
  readonly diameter: number;
}

/**
 * Step size and clip norm of Algorithm 7 on a risk that is convex and no more, for rounds that are given: `min(1/β, D/√(2(T+1)Σ²))`, which minimises
 * {@link averagedExcessRisk}. Not in the paper, which has Algorithm 2 for such risks.
 */
export function convexSgdSchedule(facts: ConvexSgdFacts, schedule: ScheduleName, overrides: OnePassOverrides): OnePassSchedule & { readonly stepSize: number } {
  const { slots: n, dimension: d, smoothness, startDistance, diameter, epsilon } = facts;
  if (n < 2) throw new InvalidParameter(`there are ${n} slots; a step and the one after it need a record each`, { slots: n });
  const rounds = wholeRounds(1, overrides.rounds, facts, 1), batchSize = Math.floor(n / (rounds + 1));
  const clipNorm = overrides.clipNorm ?? clipNormOf(facts, (epsilon * n) / Math.sqrt(d * rounds)), { noise, bias, variance } = errorOf(facts, schedule)(clipNorm, batchSize);
  const balanced = startDistance / Math.sqrt(2 * (rounds + 1) * variance), most = smoothness > 0 ? 1 / smoothness : Infinity, finite = Math.min(balanced, most);
  // From the minimiser itself the shorter the better; without error and smoothness the longer.
  const stepSize = startDistance === 0 ? Math.min(most, (diameter / facts.moment) * 2 ** -30) : finite < Infinity ? finite : (startDistance / facts.moment) * 2 ** 30;
  return {
    rounds, batches: rounds + 1, batchSize, clipNorm, noise, bias, variance, stepSize,
    excessRisk: averagedExcessRisk({ stepSize, rounds, startDistance, diameter, variance, bias }), printedBound: null,
  };
}
