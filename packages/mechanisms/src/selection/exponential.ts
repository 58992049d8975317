import { addDown, divideUp, expDown, multiplyDown, neumaierSum, nextUp } from '@lethe/numerics';
import { defineSelector, exponentialEvent, type RandomSource } from '@lethe/core';
import * as z from 'zod';
import { assertCandidates, assertEpsilon, behind, largestAfter } from './utilities.js';

/**
 * The exponential mechanism: a candidate of utility `u` with probability proportional to `e^(εu/2)`, by
 * adding independent Gumbel noise of scale `2/ε` to every utility and taking the largest. Its privacy losses
 * span at most ε for each pair of neighbours (bounded range), so it is `ε²/8`-zCDP. Gumbel noise in doubles
 * is `idealised`.
 *
 * `regretBound` is the largest expected regret itself, `(2/ε) W((k − 1)/e)` with Lambert's W, rounded up: all
 * candidates but the best are then equally far behind.
 */
export const exponential = defineSelector({
  name: 'exponential',
  summary: 'Chooses with probability proportional to the exponential of utility.',
  source: { id: 'mcsherry-talwar-2007', item: 'Definition 2' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    {
      property: 'probabilities',
      statement: 'a candidate of utility u is chosen with probability proportional to e^(εu/2)',
    },
    { property: 'choice', statement: 'choices have the stated probabilities' },
    {
      property: 'event',
      statement: 'ε-differentially private with losses that span at most ε',
      source: { id: 'durfee-rogers-2019', item: 'bounded range' },
    },
    {
      property: 'invariance',
      statement: 'a common shift of utilities changes nothing, and a permutation permutes',
    },
    { property: 'regret', statement: 'the expected regret is at most regretBound' },
    { property: 'regret-attained', statement: 'which some utilities attain' },
    { property: 'coins', statement: 'the choice is a function of utilities and randomness' },
    {
      property: 'refusals',
      statement: 'no candidate, a utility that is not finite and an ε that is not positive are refused',
    },
  ],
  numerics: 'idealised',
  event: (_params, epsilon, relative) => exponentialEvent(epsilon, relative),
  choose: (_params, utilities, epsilon, random) => largestAfter(behind(utilities, epsilon), gumbel(random)),
  probabilities: (_params, utilities, epsilon) => proportional(behind(utilities, epsilon)),
  regretBound: (_params, candidates, epsilon) => exponentialRegret(candidates, epsilon),
});

/** Draws from the Gumbel distribution, `P(X ≤ x) = e^(−e^(−x))`. */
export const gumbel = (random: RandomSource) => (): number => -Math.log(random.exponential());

/** Probabilities in proportion to `e^(−behind)`. */
export function proportional(behindBest: Float64Array): Float64Array {
  const weights = behindBest.map((x) => Math.exp(-x));
  const total = neumaierSum(weights);
  return weights.map((weight) => weight / total);
}

/**
 * Largest expected regret of the exponential mechanism, rounded up: at utilities where it is largest every
 * other candidate is `1 + λ` behind in the unit `2/ε`, and the regret λ in that unit solves
 * `λ e^(1 + λ) = k − 1`.
 */
export function exponentialRegret(candidates: number, epsilon: number): number {
  assertCandidates(candidates);
  assertEpsilon(epsilon);
  if (candidates === 1) return 0;
  const others = candidates - 1;
  let lambda = Math.log1p(others / Math.E);
  // Newton's method on λ + log λ, which is concave: it converges to the root from below.
  for (let step = 0; step < 8; step++) lambda *= (Math.log(others) - Math.log(lambda)) / (1 + lambda);
  while (!(multiplyDown(lambda, expDown(addDown(1, lambda))) >= others)) lambda = nextUp(lambda);
  return divideUp(2 * lambda, epsilon);
}
