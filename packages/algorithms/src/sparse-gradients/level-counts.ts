import { InvalidParameter } from '@lethe/core';
import { levelsFor } from '@lethe/mechanisms';
import { logBinomial } from '@lethe/numerics';
import { requireCounts } from '../common/require.js';

/** Calls whose levels are yet to be drawn. */
export interface UndrawnLevels {
  readonly slots: number;
  readonly calls: number;
  /** In (0, 1): probability with which more calls may have some level than counted. */
  readonly early: number;
}

/**
 * Numbers of calls for each level that levels drawn for `calls` calls keep to, all at once, with probability
 * at least `1 − early`. Each is a quantile of a binomial law, and `early` is shared evenly. What costs no
 * more than these counts is known before a level is drawn.
 *
 * @returns one list of levels, in ascending order, with every level as often as counted.
 * @throws {InvalidParameter} unless `calls` is a positive whole number and `early` in (0, 1), and for slots
 * out of range.
 */
export function likelyLevels({ slots, calls, early }: UndrawnLevels): readonly number[] {
  requireCounts({ calls });
  if (!(early > 0 && early < 1))
    throw new InvalidParameter(`early is ${early}; it must be between 0 and 1`, { early });
  const { most, probability } = levelsFor(slots);
  return Array.from({ length: most + 1 }, (_, level) => {
    const count = binomialQuantile(calls, probability(level), early / (most + 1));
    return Array.from({ length: count }, () => level);
  }).flat();
}

/** The least `c` with `P[Bin(trials, p) > c] ≤ tail`, or one more where rounding leaves it open. */
function binomialQuantile(trials: number, p: number, tail: number): number {
  if (p === 1) return trials;
  let above = 1;
  for (let c = 0; c < trials; c++) {
    above -= Math.exp(logBinomial(trials, c) + c * Math.log(p) + (trials - c) * Math.log1p(-p));
    if (above <= tail * (1 - 1e-6)) return c;
  }
  return trials;
}
