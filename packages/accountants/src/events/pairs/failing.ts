import type { PrivacyLossDistribution } from '@lethe/core';
import { addDown, addUp, defined, multiplyDown, multiplyUp, subtractDown, subtractUp } from '@lethe/numerics';
import { unprotectedLossDistribution } from './finite.js';

/**
 * Privacy-loss distribution of a release that fails with probability `delta`, independently, and otherwise
 * has the given distribution: the profile is `δ + (1 − δ)·H(ε)`.
 *
 * @param delta - In [0, 1].
 */
export function failingLossDistribution(
  delta: number,
  distribution: PrivacyLossDistribution,
): PrivacyLossDistribution {
  if (delta === 0) return distribution;
  if (delta >= 1 || distribution.infinite >= 1) return unprotectedLossDistribution;
  const rest = { lower: subtractDown(1, delta), upper: subtractUp(1, delta) };
  return {
    grain: (distribution.grain ?? 2 ** -44) + 2 ** -51,
    hockeyStick(epsilon) {
      const { lower, upper } = distribution.hockeyStick(epsilon);
      return {
        lower: addDown(delta, multiplyDown(rest.lower, lower)),
        upper: Math.min(1, addUp(delta, multiplyUp(rest.upper, upper))),
      };
    },
    infinite: Math.min(1, addUp(delta, multiplyUp(rest.upper, distribution.infinite))),
    support: distribution.support,
    ...(distribution.massesInto && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        defined(distribution.massesInto)(p, q, edges);
        for (let i = 0; i < p.length; i++) {
          p[i] *= 1 - delta;
          q[i] *= 1 - delta;
        }
      },
    }),
  };
}
