import { addDown, divideUp, multiplyDown, sqrtDown, subtractDown } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';

/**
 * Two Gaussian releases with the cost of one. Every multiplier is
 * the noise deviation divided by the release's own sensitivity.
 */
export interface NoiseSplitOptions {
  /** Multiplier of the one release whose cost is split. */
  readonly noiseMultiplier: number;
  /** Multiplier of the count (the share of records beyond the threshold); above `noiseMultiplier`. */
  readonly countMultiplier: number;
}

/**
 * The noise multiplier of the gradients when a noisy count is released with them:
 * `(z⁻² − z_count⁻²)^(−1/2)`, rounded up. Gradients and count together then have exactly the Gaussian-DP and
 * zCDP cost of one release at `noiseMultiplier`, since `μ² = Σ z⁻²`, in every adjacency in which each has its
 * own sensitivity, and also amplified together on one drawn batch.
 *
 * Convention: a curator scales noise to the sensitivity of the count, which is 1 record in every adjacency;
 * with noise of deviation σ_b on the number of records, `countMultiplier` is σ_b. The paper counts ±½ per
 * client, under adding or removing one: sensitivity ½, so that its formula has 2σ_b for the same deviation;
 * give `countMultiplier` 2σ_b only where such a centred count is released.
 *
 * @throws {InvalidParameter} unless both are positive and finite, the count's larger.
 */
export function noiseSplit({ noiseMultiplier, countMultiplier }: NoiseSplitOptions): number {
  const fits = noiseMultiplier > 0 && countMultiplier > noiseMultiplier && countMultiplier < Infinity;
  if (!fits) {
    throw new InvalidParameter(
      `noise of ${noiseMultiplier} in all and of ${countMultiplier} on the count was given; ` +
        "both must be positive and finite and the count's the larger, or nothing is left for gradients",
      { noiseMultiplier, countMultiplier },
    );
  }
  const ratio = divideUp(noiseMultiplier, countMultiplier);
  const rest = ratio < 1 ? multiplyDown(subtractDown(1, ratio), addDown(1, ratio)) : 0;
  if (rest === 0)
    throw new InvalidParameter(
      `noise of ${countMultiplier} on the count leaves nothing for gradients within ${noiseMultiplier}; ` +
        'give the count more noise',
      { noiseMultiplier, countMultiplier },
    );
  return divideUp(noiseMultiplier, sqrtDown(rest));
}
