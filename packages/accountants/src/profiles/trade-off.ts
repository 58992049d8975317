import {
  addDown,
  addUp,
  type Bounds,
  divideUp,
  multiplyDown,
  multiplyUp,
  normalCdfBounds,
  normalQuantileBounds,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';
import { convexMinimum } from './convex-minimum.js';
import type { Profile } from './profile.js';

const leastRate = 1e-290;

function requireRate(rate: number): void {
  if (!(rate >= 0 && rate <= 1))
    throw new InvalidParameter(
      `the rate of false alarms is ${String(rate)}; it must be a number from 0 to 1`,
      { rate },
    );
}

/**
 * Bounds on the largest detection rate (true positives) that a profile permits to any membership test with a
 * given rate of false alarms `x`: the least over ε of `min(δ + e^ε x, 1 − e^(−ε)(1 − δ − x))`. The trade-off
 * function is 1 minus this rate.
 *
 * @param profile - δ(ε) that holds for both directions of the adjacency, as {@link profileOf} gives it.
 * @param falseAlarms - `x`, from 0 to 1.
 * @throws {InvalidParameter} when `falseAlarms` is not in [0, 1].
 * @see Dong, Roth, Su 2022, Proposition 6.
 */
export function detectionRate(profile: Profile, falseAlarms: number): Bounds {
  requireRate(falseAlarms);
  if (falseAlarms === 1) return { lower: 1, upper: 1 };
  if (falseAlarms === 0) return profile(Infinity);
  // Too small to divide by: the rate is between those at 0 and at a larger rate of false alarms.
  if (falseAlarms < leastRate)
    return {
      lower: Math.max(falseAlarms, profile(Infinity).lower),
      upper: detectionRate(profile, leastRate).upper,
    };
  const spare = { lower: subtractDown(1, falseAlarms), upper: subtractUp(1, falseAlarms) };
  const start = Math.min(1, addUp(profile(0).upper, falseAlarms));
  // Convex in s = e^ε; for s above start / x the value exceeds that at ε = 0, so the search ends there.
  const alarms = convexMinimum(
    (s) => {
      const { lower, upper } = deltaAt(profile, Math.log(s));
      return {
        lower: addDown(lower, multiplyDown(s, falseAlarms)),
        upper: addUp(upper, multiplyUp(s, falseAlarms)),
      };
    },
    1,
    Math.max(1 + 1e-9, divideUp(start, falseAlarms)),
  );
  // Convex in r = e^(−ε), as the perspective of a convex function.
  const misses = convexMinimum(
    (r) => {
      const { lower, upper } = deltaAt(profile, -Math.log(r));
      return {
        lower: subtractDown(1, multiplyUp(r, subtractUp(spare.upper, lower))),
        upper: addUp(1, multiplyUp(r, subtractUp(upper, spare.lower))),
      };
    },
    Math.max(1e-300, subtractDown(1, start) / 2),
    1,
    { enough: alarms.upper },
  );
  const upper = Math.min(1, alarms.upper, misses.upper);
  return { lower: Math.min(upper, Math.max(falseAlarms, Math.min(alarms.lower, misses.lower))), upper };
}

/**
 * Bounds on δ at a logarithm that is rounded. The profile is asked a little below it, and a second time above
 * it only where that tells more: δ falls by at most the difference of `e^ε`.
 */
function deltaAt(profile: Profile, log: number): Bounds {
  const below = profile(Math.max(0, log * (1 - 2 ** -50) - 2 ** -52));
  const fall = Math.exp(log) * (1 + log) * 2 ** -48;
  if (16 * fall <= below.upper - below.lower)
    return { lower: Math.max(0, subtractDown(below.lower, fall)), upper: below.upper };
  return { lower: profile(log + 2 ** -50 * (1 + log)).lower, upper: below.upper };
}

/**
 * `Φ(Φ⁻¹(x) + μ)`: the largest detection rate under `μ`-Gaussian differential privacy, at the rate of false
 * alarms `x`.
 *
 * @throws {InvalidParameter} when `mu` is negative or `falseAlarms` is not in [0, 1].
 */
export function gaussianDetectionRate(mu: number, falseAlarms: number): Bounds {
  requireRate(falseAlarms);
  if (!(mu >= 0)) throw new InvalidParameter(`μ is ${String(mu)}; it must be a number from 0`, { mu });
  if (falseAlarms === 0 || falseAlarms === 1)
    return { lower: falseAlarms, upper: mu === Infinity ? 1 : falseAlarms };
  const quantile = normalQuantileBounds(falseAlarms);
  return {
    lower: normalCdfBounds(addDown(quantile.lower, mu)).lower,
    upper: normalCdfBounds(addUp(quantile.upper, mu)).upper,
  };
}
