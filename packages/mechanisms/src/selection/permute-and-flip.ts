import { defineSelector } from '@lethe/core';
import { divideUp, minimizeUnimodal } from '@lethe/numerics';
import * as z from 'zod';
import { firstAccepted } from './acceptances.js';
import { pureChoiceEvent } from './pure-choice.js';
import { assertCandidates, assertEpsilon, behind, largestAfter } from './utilities.js';

/**
 * Permute-and-flip: candidates come in random order, and one that is `g` behind the best is taken with
 * probability `e^(−εg/2)`; the first one taken is the choice. It is drawn by adding exponential noise of mean
 * `2/ε` and taking the largest, which has the same distribution and a running time independent of utilities.
 * At the same ε its regret is never more than the exponential mechanism's, but its losses may span 2ε for a
 * pair of neighbours: it has no bounded range, and its ρ is that of pure ε.
 *
 * `regretBound` is the largest expected regret itself, `(2/ε) maxₓ x (1 − (1 − (1 − e^(−x))^k)/(k e^(−x)))`,
 * rounded up: all candidates but the best are then equally far behind.
 */
export const permuteAndFlip = defineSelector({
  name: 'permute-and-flip',
  summary: 'Takes the first candidate, in random order, that passes a draw weighted by how far it is behind.',
  source: { id: 'mckenna-sheldon-2020', item: 'Algorithm 1' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'probabilities', statement: 'those of the first accepted in random order, to 1e-12' },
    { property: 'choice', statement: 'choices have the stated probabilities' },
    {
      property: 'event',
      statement: 'ε-differentially private',
      source: { id: 'mckenna-sheldon-2020', item: 'Theorem 1' },
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
  event: (_params, epsilon, relative) => pureChoiceEvent(epsilon, relative),
  choose: (_params, utilities, epsilon, random) =>
    largestAfter(behind(utilities, epsilon), () => random.exponential()),
  probabilities: (_params, utilities, epsilon) =>
    firstAccepted(behind(utilities, epsilon).map((x) => Math.exp(-x))),
  regretBound: (_params, candidates, epsilon) => permuteAndFlipRegret(candidates, epsilon),
});

/** Covers rounding of the maximum and of where it is. */
const margin = 1 + 1e-9;

/**
 * Largest expected regret of permute-and-flip, rounded up. Where all others are `x` behind in the unit `2/ε`,
 * the best is taken with probability `∫ (1 − t e^(−x))^(k − 1) dt`; what is lost is log-concave in `x`, and
 * equal distances are the worst (docs/decisions/0014).
 */
export function permuteAndFlipRegret(candidates: number, epsilon: number): number {
  assertCandidates(candidates);
  assertEpsilon(epsilon);
  if (candidates === 1) return 0;
  const lost = (x: number): number => {
    const chance = Math.exp(-x);
    return x * (1 + Math.expm1(candidates * Math.log1p(-chance)) / (candidates * chance));
  };
  const { value } = minimizeUnimodal((x) => -lost(x), 0.5, 2 + Math.log(candidates));
  return divideUp(-2 * value * margin, epsilon);
}
