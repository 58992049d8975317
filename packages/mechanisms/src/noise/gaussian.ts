import { defineMechanism, gaussianEvent, Unsupported } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import * as z from 'zod/mini';
import { gaussianDeltaUp } from './gaussian-delta.js';
import { addInBlocks } from './add-in-blocks.js';
import { assertEpsilonDelta, assertScale, multiplierForRho } from './noise-target.js';

/**
 * Independent `N(0, scale²)` noise on every entry, for a value of bounded ℓ2 sensitivity.
 *
 * `multiplierFor` gives `1/√(2ρ)` for ρ (zero-concentrated), and for (ε, δ) the least multiplier of the
 * analytic condition, which is necessary and sufficient at every ε. Both are rounded up; outward rounding
 * bounds the δ of the result by `delta`. Sampling in doubles is `idealised`: the
 * certificate assumes real arithmetic.
 */
export const gaussian = defineMechanism({
  name: 'gaussian',
  summary: 'Adds Gaussian noise calibrated to the ℓ2 sensitivity.',
  source: { id: 'balle-wang-2018', item: 'Theorem 8' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'noise-law', statement: 'entries have distribution function Φ(x / scale)' },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    {
      property: 'event',
      statement: 'one release is Gaussian differential privacy, exactly, with μ = sensitivity / scale',
    },
    {
      property: 'zcdp',
      statement: 'noise multiplier 1/√(2ρ) is ρ-zCDP, exactly',
      source: { id: 'bun-steinke-2016', item: 'Proposition 1.6' },
    },
    { property: 'calibration', statement: 'the exact δ at ε of the multiplier for (ε, δ) is at most δ' },
    { property: 'least-multiplier', statement: 'and it is the least such, up to outward rounding' },
  ],
  norm: 'l2',
  numerics: 'idealised',
  event: (_params, noiseMultiplier, relative) => gaussianEvent(noiseMultiplier, relative),
  multiplierFor(_params, target) {
    if ('rho' in target) return multiplierForRho(target.rho);
    return multiplierForEpsilonDelta(target.epsilon, target.delta);
  },
  addNoise(_params, value, scale, random) {
    assertScale(scale);
    addInBlocks(value, scale, (noise) => random.gaussianInto(noise));
  },
  standardDeviation: () => 1,
  cdf: (_params, x) => normalCdf(x),
});

function multiplierForEpsilonDelta(epsilon: number, delta: number): number {
  assertEpsilonDelta(epsilon, delta);
  if (delta === 0) {
    throw new Unsupported(
      'Gaussian noise of any scale has δ > 0; give a delta above 0, give rho instead, ' +
        "or use the mechanism 'laplace'",
      {
        mechanism: 'gaussian',
        epsilon,
        delta,
        alternatives: ['delta > 0', 'rho', 'laplace'],
      },
    );
  }
  const isPrivate = (sigma: number): boolean => gaussianDeltaUp(epsilon, sigma) <= delta;
  let high = 1;
  while (!isPrivate(high)) {
    high *= 2;
    if (high === Infinity)
      throw new Unsupported(
        `no double is large enough a noise multiplier for (${epsilon}, ${delta}); ask for less privacy`,
        { epsilon, delta },
      );
  }
  let low = high / 2;
  while (low > 0 && isPrivate(low)) {
    high = low;
    low /= 2;
  }
  for (let middle = low + (high - low) / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
    if (isPrivate(middle)) high = middle;
    else low = middle;
  }
  return high;
}
