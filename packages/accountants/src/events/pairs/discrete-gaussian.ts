import { InvalidParameter, Unsupported } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { distributionOfAtoms } from './atomic.js';
import { unprotectedLossDistribution } from './finite.js';

const mostAtoms = 2 ** 20;

/**
 * Privacy-loss distribution of discrete Gaussian noise `∝ e^{−x²/2σ²}` on the integers with shift `shift`,
 * for both directions. The weights are log-concave, so it bounds smaller shifts. Outcomes whose probability
 * underflows under either distribution count as infinite losses.
 *
 * @param sigma - Positive and finite, in grid steps.
 * @param shift - A whole number of at least 1.
 * @throws {Unsupported} when there are more than 2^20 outcomes.
 */
export function discreteGaussianLossDistribution(sigma: number, shift: number): PrivacyLossDistribution {
  if (!(sigma > 0 && sigma < Infinity && Number.isSafeInteger(shift) && shift >= 1)) {
    throw new InvalidParameter(
      `noise of standard deviation ${sigma} moves by ${shift}; sigma must be positive and finite, ` +
        'and the shift a whole number of at least 1',
      { sigma, shift },
    );
  }
  // In double precision the noise is always 0.
  if (sigma < 1e-3) return unprotectedLossDistribution;
  const largestOutcome = Math.ceil(39 * sigma);
  const outcomes = 2 * largestOutcome + shift + 1;
  if (!(outcomes <= mostAtoms))
    throw new Unsupported(
      `the loss distribution of discrete Gaussian noise of ${sigma} steps ` +
        `has ${outcomes} outcomes, more than ${mostAtoms}`,
      { sigma, shift },
    );
  const precision = 1 / (2 * sigma * sigma);
  let total = 0;
  for (let x = largestOutcome; x > 0; x--) total += 2 * Math.exp(-x * x * precision);
  total += 1;
  const [losses, p, q] = [new Float64Array(outcomes), new Float64Array(outcomes), new Float64Array(outcomes)];
  for (let i = 0; i < outcomes; i++) {
    const x = i - largestOutcome;
    losses[i] = (2 * x - shift) * shift * precision;
    p[i] = Math.exp(-(x - shift) * (x - shift) * precision) / total;
    q[i] = Math.exp(-x * x * precision) / total;
  }
  return {
    ...distributionOfAtoms({ losses, p, q }, Number.MIN_VALUE, 2 ** -42),
    support: { least: -Infinity, most: Infinity },
  };
}
