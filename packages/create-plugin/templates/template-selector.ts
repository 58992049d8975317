import { defineSelector, exponentialEvent, InvalidParameter } from '@lethe/core';
import * as z from 'zod';

/**
 * A candidate of utility `u` with probability proportional to `e^(εu/2)`, by its distribution function.
 * Utilities come in units of their sensitivity. Say here what the choice of yours reveals, and what it loses,
 * and cite it.
 */
export const templateSelector = defineSelector({
  name: 'template-selector',
  summary: 'Chooses with probability proportional to the exponential of utility.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    {
      property: 'probabilities',
      statement: 'a candidate of utility u is chosen with probability proportional to e^(εu/2)',
    },
    { property: 'choice', statement: 'choices have the stated probabilities' },
    { property: 'event', statement: 'ε-differentially private with losses that span at most ε' },
    { property: 'invariance', statement: 'only differences of utilities count' },
    { property: 'regret', statement: 'at most 2 log(candidates)/ε' },
    { property: 'coins', statement: 'one uniform draw' },
    { property: 'refusals', statement: 'as the contract asks' },
  ],
  // Another law than exact integer noise: a uniform draw in doubles.
  numerics: 'idealised',
  event: (_params, epsilon, relative) => exponentialEvent(epsilon, relative),
  choose(_params, utilities, epsilon, random) {
    let rest = random.uniform();
    const chosen = probabilities(utilities, epsilon).findIndex((probability) => (rest -= probability) < 0);
    // Rounding may leave a little behind the last.
    return chosen < 0 ? utilities.length - 1 : chosen;
  },
  probabilities: (_params, utilities, epsilon) => probabilities(utilities, epsilon),
  regretBound: (_params, candidates, epsilon) => (2 * Math.log(candidates)) / epsilon,
});

function probabilities(utilities: Float64Array, epsilon: number): Float64Array {
  if (!(epsilon > 0 && epsilon < Infinity))
    throw new InvalidParameter(`epsilon is ${epsilon}; it must be positive and finite`, { epsilon });
  if (utilities.length === 0 || !utilities.every(Number.isFinite))
    throw new InvalidParameter(`utilities are [${utilities.join(', ')}]; give at least one, all finite`, {});
  const best = utilities.reduce((most, utility) => Math.max(most, utility));
  // Halves first, so that no difference overflows.
  const weights = utilities.map((utility) => Math.exp(epsilon * (utility / 2 - best / 2)));
  const total = weights.reduce((sum, weight) => sum + weight);
  return weights.map((weight) => weight / total);
}
