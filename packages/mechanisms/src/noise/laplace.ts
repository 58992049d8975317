import { defineMechanism, definedSensitivity, Unsupported, type CoreEvent } from '@lethe/core';
import { divideUp } from '@lethe/numerics';
import * as z from 'zod';
import { addInBlocks } from './add-in-blocks.js';
import { assertEpsilonDelta, assertScale, multiplierForRho } from './noise-target.js';
import { orderedNumber } from './ordered-number.js';

/**
 * Independent Laplace noise of density `e^(−|x|/scale) / (2 scale)`
 * on every entry, for a value of bounded ℓ1 sensitivity.
 *
 * `multiplierFor` gives `1/ε` for (ε, δ) with any δ: pure ε-differential privacy, in every dimension. For ρ
 * it uses that pure ε implies `ε²/2`-zCDP. Both are rounded up; they need not be the least for δ > 0 or for
 * ρ. Sampling in doubles is `idealised`.
 */
export const laplace = defineMechanism({
  name: 'laplace',
  summary: 'Adds Laplace noise calibrated to the ℓ1 sensitivity.',
  source: { id: 'dwork-mcsherry-nissim-smith-2006', item: 'Proposition 1' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    {
      property: 'noise-law',
      statement: 'entries have distribution function e^(x/scale)/2 below 0 and 1 − e^(−x/scale)/2 above',
    },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    {
      property: 'event',
      statement:
        'one release is pure with ε = sensitivity / scale, ' +
        'and its Rényi divergences are those of one entry that moves alone',
    },
    {
      property: 'calibration',
      statement: 'the multiplier for ε is that of pure differential privacy, whatever δ is',
    },
    { property: 'pure', statement: 'noise multiplier 1/ε is ε-differentially private, exactly' },
    {
      property: 'zcdp',
      statement: 'noise multiplier 1/√(2ρ) is ρ-zCDP',
      source: { id: 'bun-steinke-2016', item: 'Proposition 1.4' },
    },
  ],
  norm: 'l1',
  numerics: 'idealised',
  event: (_params, noiseMultiplier, relative): CoreEvent<'core/laplace'> => ({
    kind: 'core/laplace',
    v: 1,
    scale: noiseMultiplier,
    sensitivity: definedSensitivity(relative),
  }),
  multiplierFor(_params, target) {
    if ('rho' in target) return multiplierForRho(target.rho);
    assertEpsilonDelta(target.epsilon, target.delta);
    return multiplierForPure(target.epsilon);
  },
  addNoise(_params, value, scale, random) {
    assertScale(scale);
    addInBlocks(value, scale, (noise) => random.laplaceInto(noise));
  },
  standardDeviation: () => Math.SQRT2,
  cdf: (_params, x) => (orderedNumber(x) < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
});

function multiplierForPure(epsilon: number): number {
  const multiplier = divideUp(1, epsilon);
  if (multiplier === Infinity)
    throw new Unsupported(
      `no double is large enough a noise multiplier for epsilon = ${epsilon}; ask for less privacy`,
      { epsilon },
    );
  return multiplier;
}
