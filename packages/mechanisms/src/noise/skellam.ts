import {
  addDown,
  addUp,
  divideDown,
  divideUp,
  log1pDown,
  logDown,
  minimizeUnimodal,
  multiplyDown,
  multiplyUp,
  subtractUp,
} from '@lethe/numerics';
import { defineMechanism, definedSensitivity, Unsupported } from '@lethe/core';
import * as z from 'zod';
import { assertEpsilonDelta, assertRho } from './noise-target.js';
import { poissonDifferenceSampler } from './poisson-difference-sampler.js';
import { skellamRenyi } from './skellam-renyi.js';
import { skellamWeights } from './skellam-weights.js';
import { addWhole, assertWholeScale, perScale } from './whole-noise.js';
import { wholeDistribution } from './whole-distribution.js';

const samplerOf = perScale(poissonDifferenceSampler, 4);
/** Largest scale: above, a draw would need more than 256 Poisson numbers. */
const largestScale = 2 ** 14;

/** The law of scale σ. */
const distributionOf = perScale((scale: number) => {
  const weights = skellamWeights(scale);
  return wholeDistribution((size) => weights[size], weights.length - 1);
}, 4);

/**
 * Independent differences of two Poisson numbers of rate `scale²/2` each on every entry of a whole-numbered
 * value of bounded ℓ2 sensitivity. Sums of Skellam noise are Skellam noise, so noise from several parties is
 * accounted like noise from one.
 *
 * `exact`: the distribution has no error for any scale of 53 bits up to 2¹⁴, since sampling uses whole
 * numbers only. Values are refused unless every entry is whole
 * and below 2⁵³ in size; larger sums are clamped.
 *
 * The cost depends on the grid: the larger the scale in units of the grid, the closer the cost is to that of
 * Gaussian noise. Give a `leastScale`; smaller scales are then refused. `multiplierFor` uses the best Rényi
 * order for (ε, δ), rounded up. It refuses ρ, since no bound linear in α is proved for all orders.
 *
 * @param params - `leastScale`: the least scale of any noise, in units
 * of the grid; 1 if left out.
 */
export const skellam = defineMechanism({
  name: 'skellam',
  summary: 'Adds the difference of two Poisson numbers, exactly, calibrated to the ℓ2 sensitivity.',
  source: { id: 'agarwal-kairouz-liu-2021', item: 'Definition 3.1' },
  params: z.strictObject({ leastScale: z.number().positive().max(largestScale).default(1) }),
  examples: [{ leastScale: 1 }, { leastScale: 16 }],
  claims: [
    { property: 'lattice', statement: 'integers stay integers, and every draw is an integer' },
    {
      property: 'noise-law',
      statement: 'the difference of two independent Poisson numbers of rate scale²/2',
    },
    {
      property: 'divisible',
      statement: 'H shares of scale s/√H add up to noise of scale s',
    },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    {
      property: 'event',
      statement: 'one release has Rényi divergences of every order within the bound of lethe/skellam',
      source: { id: 'agarwal-kairouz-liu-2021', item: 'Theorem 3.5' },
    },
    {
      property: 'calibration',
      statement: 'the multiplier for (ε, δ) meets it by the Rényi divergence of some order',
      source: { id: 'canonne-kamath-steinke-2020', item: 'Proposition 12' },
    },
  ],
  norm: 'l2',
  numerics: 'exact',
  divisible: true,
  event: ({ leastScale }, noiseMultiplier, relative) => ({
    kind: 'lethe/skellam',
    v: 1,
    sigma: noiseMultiplier,
    leastScale,
    sensitivity: definedSensitivity(relative),
  }),
  multiplierFor({ leastScale }, target) {
    if ('rho' in target) {
      assertRho(target.rho);
      throw new Unsupported(
        'Skellam noise is not known to be zCDP; give epsilon and delta, ' +
          "or use the mechanism 'discrete-gaussian'",
        { mechanism: 'skellam', rho: target.rho, alternatives: ['epsilon and delta', 'discrete-gaussian'] },
      );
    }
    const { epsilon, delta } = target;
    assertEpsilonDelta(epsilon, delta);
    if (delta === 0)
      throw new Unsupported(
        "Skellam noise of any scale has δ > 0; give a delta above 0, or use the mechanism 'discrete-laplace'",
        { mechanism: 'skellam', epsilon, delta, alternatives: ['delta > 0', 'discrete-laplace'] },
      );
    return leastMultiplier(leastScale, epsilon, delta);
  },
  assertScale: ({ leastScale }, scale) => {
    assertSkellamScale(scale, leastScale);
  },
  addNoise({ leastScale }, value, scale, random) {
    assertSkellamScale(scale, leastScale);
    addWhole(value, samplerOf(scale), random);
  },
  standardDeviation: () => 1,
  cdf: (_params, x) => distributionOf(1).cdf(x),
  cdfAt: (_params, x, scale) => distributionOf(scale).cdf(x),
});

function assertSkellamScale(scale: number, leastScale: number): void {
  assertWholeScale(scale, largestScale, 'skellam');
  if (scale < leastScale)
    throw new Unsupported(
      `noise of scale ${scale} was asked for; this 'skellam' states that scales are at least ` +
        `${leastScale}. Use a finer grid, or state less.`,
      { scale, leastScale },
    );
}

/** Upper bound on `log δ(ε)` by the order `1 + beta`. */
function logDeltaUp(beta: number, divergence: number, epsilon: number): number {
  if (divergence === Infinity) return Infinity;
  const gained = multiplyDown(beta, log1pDown(divideDown(1, beta)));
  return addUp(addUp(multiplyUp(beta, subtractUp(divergence, epsilon)), -gained), -logDown(addDown(1, beta)));
}

/** Lower end of the search, away from 0, since the tolerance of the minimiser is relative. */
const origin = 64;

function leastMultiplier(leastScale: number, epsilon: number, delta: number): number {
  const enough = logDown(delta);
  const isPrivate = (multiplier: number): boolean => {
    const curve = skellamRenyi(divideUp(1, multiplier), Math.max(leastScale, multiplier));
    const logDelta = (x: number): number => {
      const alpha = 1 + 2 ** (x - origin);
      return logDeltaUp(alpha - 1, curve(alpha), epsilon);
    };
    return (
      minimizeUnimodal((x) => Math.min(1e300, logDelta(x)), origin - 20, origin + 52, {
        tolerance: 1e-6,
        maximumProbes: 40,
      }).value <= enough
    );
  };
  let high = 1;
  while (!isPrivate(high)) {
    high *= 2;
    if (high > 2 ** 60)
      throw new Unsupported(
        `no noise multiplier was found for (${epsilon}, ${delta}); ask for less privacy`,
        { epsilon, delta },
      );
  }
  let low = high / 2;
  while (low > 2 ** -60 && isPrivate(low)) {
    high = low;
    low /= 2;
  }
  while (high - low > 1e-7 * high) {
    const middle = low + (high - low) / 2;
    if (isPrivate(middle)) high = middle;
    else low = middle;
  }
  return high;
}
