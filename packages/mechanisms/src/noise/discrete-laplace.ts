import { defineMechanism, definedSensitivity, type CoreEvent } from '@lethe/core';
import * as z from 'zod';
import { discreteLaplaceSampler } from './discrete-laplace-sampler.js';
import { laplace } from './laplace.js';
import { addWhole, assertWholeScale, largestWholeScale, perScale } from './whole-noise.js';
import { wholeDistribution } from './whole-distribution.js';

const samplerOf = perScale(discreteLaplaceSampler);
const unit = wholeDistribution((size) => Math.exp(-size), 800);

/**
 * Independent noise with probabilities proportional to `e^(−|k|/scale)` on every entry of a whole-numbered
 * value of bounded ℓ1 sensitivity: Laplace noise on the integers.
 *
 * `exact`: the distribution has no error for any scale of 53 bits up to 2⁴⁰, since sampling uses whole
 * numbers only. Values are refused unless every entry is whole
 * and below 2⁵³ in size; larger sums are clamped.
 *
 * `multiplierFor` is that of `laplace`: `1/ε` whatever δ is, `1/√(2ρ)`
 * for ρ, rounded up. For a whole sensitivity it is the least for ε.
 */
export const discreteLaplace = defineMechanism({
  name: 'discrete-laplace',
  summary: 'Adds Laplace noise on the integers, exactly, calibrated to the ℓ1 sensitivity.',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Algorithm 2' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'lattice', statement: 'integers stay integers, and every draw is an integer' },
    { property: 'noise-law', statement: 'the probability of k is proportional to e^(−|k|/scale)' },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    {
      property: 'event',
      statement: 'one release is pure with ε = sensitivity / scale',
      source: { id: 'ghosh-roughgarden-sundararajan-2012', item: 'Section 2' },
    },
    {
      property: 'calibration',
      statement: 'the multiplier for ε is that of pure differential privacy, whatever δ is',
    },
    { property: 'pure', statement: 'noise multiplier 1/ε is ε-differentially private' },
    {
      property: 'zcdp',
      statement: 'noise multiplier 1/√(2ρ) is ρ-zCDP',
      source: { id: 'bun-steinke-2016', item: 'Proposition 1.4' },
    },
  ],
  norm: 'l1',
  numerics: 'exact',
  event: (_params, noiseMultiplier, relative): CoreEvent<'core/discrete-laplace'> => ({
    kind: 'core/discrete-laplace',
    v: 1,
    scale: noiseMultiplier,
    sensitivity: definedSensitivity(relative),
  }),
  multiplierFor: (_params, target) => laplace.multiplierFor({}, target),
  assertScale(_params, scale) {
    assertWholeScale(scale, largestWholeScale, 'discrete-laplace');
  },
  addNoise(_params, value, scale, random) {
    assertWholeScale(scale, largestWholeScale, 'discrete-laplace');
    addWhole(value, samplerOf(scale), random);
  },
  standardDeviation: () => unit.standardDeviation,
  deviationBound: () => Math.SQRT2 * (1 + 2 ** -52),
  cdf: (_params, x) => unit.cdf(x),
});
