import type { PrivacyLossDistribution } from '@lethe/core';
import { distributionOfAtoms } from '../pairs/atomic.js';

interface Masses {
  readonly losses: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly infinite: number;
  readonly grain: number;
}

/**
 * Privacy-loss distribution with these atoms; `grain` bounds the relative errors. Losses ascend or descend.
 */
export function discreteDistribution({ losses, p, q, infinite, grain }: Masses): PrivacyLossDistribution {
  const order = losses.length > 1 && losses[0] > losses[1] ? -1 : 1;
  const positive: number[] = [];
  let revealed = infinite;
  for (let j = 0; j < losses.length; j++) {
    const i = order === 1 ? j : losses.length - 1 - j;
    if (q[i] > 0 && p[i] > 0) positive.push(i);
    else revealed += p[i];
  }
  const column = (of: Float64Array): Float64Array => Float64Array.from(positive, (i) => of[i]);
  return withGrain(
    distributionOfAtoms(
      { losses: column(losses), p: column(p), q: column(q) },
      Math.min(1, revealed * (1 + 2 ** -40)),
    ),
    grain,
  );
}

/** Widens the bounds of a distribution whose probabilities have relative errors up to `grain`. */
export function withGrain(distribution: PrivacyLossDistribution, grain: number): PrivacyLossDistribution {
  const shift = 3 * grain;
  return {
    ...distribution,
    grain: Math.max(grain, distribution.grain ?? 2 ** -44),
    hockeyStick: (epsilon) => ({
      lower: Math.max(
        distribution.hockeyStick(epsilon + shift).lower * (1 - grain),
        epsilon < 0 ? -Math.expm1(epsilon) * (1 - 2 ** -50) : 0,
      ),
      upper: Math.min(1, distribution.hockeyStick(epsilon - shift).upper * (1 + 2 * grain)),
    }),
  };
}
