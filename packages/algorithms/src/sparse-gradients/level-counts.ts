import { InvalidParameter } from '@lethe/core';
import { levelsFor } from '@lethe/mechanisms';
import { logBinomial } from '@lethe/numerics';
import { requireCounts } from '../common/require.js';

/** Calls whose levels are yet to be drawn. */
export interface UndrawnLevels {
  readonly slots: number;
  readonly calls: number;
  /** In [1e-6, 1): probability with which more calls may have some level than counted. */
  readonly early: number;
}

/**
 * Numbers of calls for each level that levels drawn for `calls` calls keep to, all at once, with probability
 * at least `1 − early`. Each is a quantile of a binomial law. Half of `early` is shared evenly; of the rest
 * each level may use half of what is left, the highest and costliest first. What costs no more than these
 * counts is known before a level is drawn.
 *
 * @returns one list of levels, from the highest, with every level as often as counted.
 * @throws {InvalidParameter} unless `calls` is a positive whole number and `early` in [1e-6, 1), and for
 * slots out of range.
 */
export function likelyLevels({ slots, calls, early }: UndrawnLevels): readonly number[] {
  requireCounts({ calls });
  if (!(early >= 1e-6 && early < 1))
    throw new InvalidParameter(`early is ${early}; it must be at least 1e-6 and below 1`, { early });
  const { most, probability } = levelsFor(slots);
  const even = early / (2 * (most + 1));
  const counted: number[] = [];
  let left = early / 2;
  for (let level = most; level >= 0; level--) {
    const { count, above } = binomialQuantile(calls, probability(level), even + left / 2);
    left -= Math.max(0, above - even);
    for (let i = 0; i < count; i++) counted.push(level);
  }
  return counted;
}

/** The least count with `P[Bin(trials, p) > count] ≤ tail`, or one more where rounding leaves it open. */
function binomialQuantile(
  trials: number,
  p: number,
  tail: number,
): { readonly count: number; readonly above: number } {
  if (p === 1) return { count: trials, above: 0 };
  let below = 0;
  for (let count = 0; count < trials; count++) {
    below += Math.exp(logBinomial(trials, count) + count * Math.log(p) + (trials - count) * Math.log1p(-p));
    // More than the roundings of all terms.
    const above = 1 - below + 1e-9;
    if (above <= tail) return { count, above };
  }
  return { count: trials, above: 0 };
}
