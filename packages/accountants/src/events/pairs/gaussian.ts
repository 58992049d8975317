import {
  erfcx,
  normalCdfBounds,
  type Bounds,
  addDown,
  addUp,
  divideDown,
  divideUp,
  expDown,
  expUp,
  multiplyDown,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { inFamily } from './family.js';
import { addNormalCells } from './normal-cells.js';
import { profileBelow } from './reversed.js';

/**
 * Privacy-loss distribution of `N(μ, 1)` against `N(0, 1)`, which is `N(μ²/2, μ²)`, for both directions.
 *
 * @param mu - Positive and finite.
 */
export function gaussianLossDistribution(mu: number): PrivacyLossDistribution {
  const distribution: PrivacyLossDistribution = {
    hockeyStick: (epsilon) => gaussianHockeyStick(mu, epsilon),
    infinite: 0,
    support: { least: -Infinity, most: Infinity },
    massesInto(p, q, edges) {
      // In units of the noise, centred between the two means.
      const z = edges.map((edge) => edge / mu);
      addNormalCells(p.fill(0), z, mu / 2, 1);
      addNormalCells(q.fill(0), z, -mu / 2, 1);
    },
  };
  return inFamily(distribution, { key: 'gaussian', mu, member: gaussianLossDistribution });
}

/** Bounds of `δ(ε)` of {@link gaussianLossDistribution} at any real ε. */
export const gaussianHockeyStick = (mu: number, epsilon: number): Bounds =>
  epsilon < 0 ? profileBelow(epsilon, (above) => gaussianProfile(mu, above)) : gaussianProfile(mu, epsilon);

const sqrtHalf = 0.707_106_781_186_547_5;
/** Error bound for `erfcx`, four times its actual error, and for the rounding of its argument. */
const erfcxError = 8e-15;

/**
 * Bounds of `Φ(−x) − e^ε Φ(−y)`, `x = ε/μ − μ/2`, `y = ε/μ + μ/2`, for `ε ≥ 0`. The second term is
 * `½ e^{−x²/2} erfcx(y/√2)`, which does not overflow.
 * @see Balle, Wang 2018, Theorem 8.
 */
function gaussianProfile(mu: number, epsilon: number): Bounds {
  if (epsilon === Infinity) return { lower: 0, upper: 0 };
  const half = mu / 2;
  const [lowZ, highZ] = [divideDown(epsilon, mu), divideUp(epsilon, mu)];
  const [lowX, highX] = [subtractDown(lowZ, half), subtractUp(highZ, half)];
  let near: number;
  if (lowX > 0) near = lowX;
  else if (highX < 0) near = -highX;
  else near = 0;
  const far = Math.max(Math.abs(lowX), Math.abs(highX));
  const scaled = (y: number): number => 0.5 * erfcx(y * sqrtHalf);
  const smallest = multiplyDown(
    expDown(-multiplyUp(far, far) / 2),
    scaled(addUp(highZ, half)) * (1 - erfcxError),
  );
  const largest = multiplyUp(
    expUp(-multiplyDown(near, near) / 2),
    scaled(addDown(lowZ, half)) * (1 + erfcxError),
  );
  return {
    lower: Math.max(0, subtractDown(normalCdfBounds(-highX).lower, largest)),
    upper: Math.min(1, Math.max(0, subtractUp(normalCdfBounds(-lowX).upper, smallest))),
  };
}
