import { defineMechanism, definedSensitivity, Unsupported, type CoreEvent } from '@lethe/core';
import * as z from 'zod';
import { largestRho } from './concentrated.js';
import { discreteGaussianSampler } from './discrete-gaussian-sampler.js';
import { assertEpsilonDelta, multiplierForRho } from './noise-target.js';
import { addWhole, assertWholeScale, largestWholeScale, perScale } from './whole-noise.js';
import { wholeDistribution } from './whole-distribution.js';

const samplerOf = perScale(discreteGaussianSampler);
const unit = wholeDistribution((size) => Math.exp((-size * size) / 2), 40);

/**
 * Independent noise with probabilities proportional to `e^(−k²/(2 scale²))` on every entry of a
 * whole-numbered value of bounded ℓ2 sensitivity: Gaussian noise on the integers.
 *
 * `exact`: the distribution has no error for any scale of 53 bits up to 2⁴⁰, since sampling uses whole
 * numbers only. Values are refused unless every entry is whole
 * and below 2⁵³ in size; larger sums are clamped.
 *
 * `multiplierFor` gives `1/√(2ρ)` for ρ. For (ε, δ) it uses the ρ that the best known conversion turns into
 * (ε, δ), rounded up: valid in every dimension. The exact δ of one entry (Canonne, Kamath
 * and Steinke, Theorem 7) allows about a tenth less noise at usual targets, but no proof carries it to
 * vectors.
 */
export const discreteGaussian = defineMechanism({
  name: 'discrete-gaussian',
  summary: 'Adds Gaussian noise on the integers, exactly, calibrated to the ℓ2 sensitivity.',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Algorithm 3' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'lattice', statement: 'integers stay integers, and every draw is an integer' },
    { property: 'noise-law', statement: 'the probability of k is proportional to e^(−k²/(2 scale²))' },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    {
      property: 'event',
      statement: 'one release has D_α ≤ α (sensitivity/scale)²/2 at every order, in every dimension',
      source: { id: 'canonne-kamath-steinke-2020', item: 'Theorem 14' },
    },
    {
      property: 'zcdp',
      statement: 'noise multiplier 1/√(2ρ) is ρ-zCDP',
      source: { id: 'canonne-kamath-steinke-2020', item: 'Theorem 4' },
    },
    {
      property: 'calibration',
      statement: 'the multiplier for (ε, δ) is ρ-zCDP for a ρ that makes (ε, δ)',
      source: { id: 'canonne-kamath-steinke-2020', item: 'Proposition 12' },
    },
  ],
  norm: 'l2',
  numerics: 'exact',
  event: (_params, noiseMultiplier, relative): CoreEvent<'core/discrete-gaussian'> => ({
    kind: 'core/discrete-gaussian',
    v: 1,
    sigma: noiseMultiplier,
    sensitivity: definedSensitivity(relative),
  }),
  multiplierFor(_params, target) {
    if ('rho' in target) return multiplierForRho(target.rho);
    const { epsilon, delta } = target;
    assertEpsilonDelta(epsilon, delta);
    if (delta === 0) {
      throw new Unsupported(
        'Gaussian noise of any scale has δ > 0; give a delta above 0, give rho instead, ' +
          "or use the mechanism 'discrete-laplace'",
        {
          mechanism: 'discrete-gaussian',
          epsilon,
          delta,
          alternatives: ['delta > 0', 'rho', 'discrete-laplace'],
        },
      );
    }
    return multiplierForRho(largestRho(epsilon, delta));
  },
  assertScale(_params, scale) {
    assertWholeScale(scale, largestWholeScale, 'discrete-gaussian');
  },
  addNoise(_params, value, scale, random) {
    assertWholeScale(scale, largestWholeScale, 'discrete-gaussian');
    addWhole(value, samplerOf(scale), random);
  },
  standardDeviation: () => unit.standardDeviation,
  deviationBound: () => 1,
  cdf: (_params, x) => unit.cdf(x),
});
