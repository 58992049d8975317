import { defineSelector, exponentialEvent } from '@lethe/core';
import { divideUp } from '@lethe/numerics';
import * as z from 'zod';
import { firstAccepted } from './acceptances.js';
import { exponentialRegret, gumbel, proportional } from './exponential.js';
import { permuteAndFlipRegret } from './permute-and-flip.js';
import { pureChoiceEvent } from './pure-choice.js';
import { assertCandidates, assertEpsilon, behind, largestAfter } from './utilities.js';

/**
 * Report noisy max: adds independent noise of scale `2/ε` to every
 * utility and releases the position of the largest, not its value.
 *
 * Gumbel noise makes it the exponential mechanism and exponential noise permute-and-flip, with their events
 * and regrets. With Laplace noise it is ε-private and no closed form of its probabilities is used; its regret
 * is at most that of the largest noise, `(2/ε) Σ_{j ≤ k} (1 − 2^(−j))/j`.
 *
 * @param params - `noise`: `'laplace'`, `'exponential'` or `'gumbel'`.
 * @see Ding, Kifer, Steinke, Wang, Xiao, Zhang 2021 on exponential noise.
 */
export const reportNoisyMax = defineSelector({
  name: 'report-noisy-max',
  summary: 'Tells which utility is largest after independent noise.',
  source: { id: 'dwork-roth-2014', item: 'Claim 3.9' },
  params: z.strictObject({ noise: z.enum(['laplace', 'exponential', 'gumbel']) }),
  examples: [{ noise: 'exponential' }, { noise: 'laplace' }, { noise: 'gumbel' }],
  claims: [
    {
      property: 'choice',
      statement:
        'choices have the probabilities of permute-and-flip with exponential noise, ' +
        'of the exponential mechanism with Gumbel noise',
      source: { id: 'ding-kifer-steinke-wang-xiao-zhang-2021', item: 'equivalence with permute-and-flip' },
    },
    { property: 'event', statement: 'ε-differentially private; with Gumbel noise its losses span at most ε' },
    {
      property: 'invariance',
      statement: 'a common shift of utilities changes nothing, and a permutation permutes',
    },
    { property: 'regret', statement: 'the expected regret is at most regretBound' },
    { property: 'coins', statement: 'the choice is a function of utilities and randomness' },
    {
      property: 'refusals',
      statement: 'no candidate, a utility that is not finite and an ε that is not positive are refused',
    },
  ],
  numerics: 'idealised',
  event: ({ noise }, epsilon, relative) =>
    noise === 'gumbel' ? exponentialEvent(epsilon, relative) : pureChoiceEvent(epsilon, relative),
  choose({ noise }, utilities, epsilon, random) {
    const distance = behind(utilities, epsilon);
    if (noise === 'laplace')
      return largestAfter(distance, oneByOne(random.laplaceInto(new Float64Array(distance.length))));
    if (noise === 'exponential') return largestAfter(distance, () => random.exponential());
    return largestAfter(distance, gumbel(random));
  },
  probabilities({ noise }, utilities, epsilon) {
    if (noise === 'laplace') return null;
    const distance = behind(utilities, epsilon);
    return noise === 'gumbel' ? proportional(distance) : firstAccepted(distance.map((x) => Math.exp(-x)));
  },
  regretBound({ noise }, candidates, epsilon) {
    if (noise === 'exponential') return permuteAndFlipRegret(candidates, epsilon);
    return noise === 'gumbel' ? exponentialRegret(candidates, epsilon) : laplaceRegret(candidates, epsilon);
  },
});

function oneByOne(draws: Float64Array): () => number {
  let next = 0;
  return () => draws[next++];
}

/** Covers rounding of the sum of so many terms. */
const margin = 1 + 1e-9;

/**
 * What is lost is at most the noise of the choice less that of the best, whose mean is 0. The largest of `k`
 * draws is at most the largest of those above 0, and the largest of `n` exponential draws has mean
 * `1 + 1/2 + … + 1/n`; here `n` is binomial. What is not counted one by one is at most an integral.
 */
function laplaceRegret(candidates: number, epsilon: number): number {
  assertCandidates(candidates);
  assertEpsilon(epsilon);
  if (candidates === 1) return 0;
  const counted = Math.min(candidates, 1000);
  let sum = 0;
  for (let j = 1; j <= counted; j++) sum += (1 - 2 ** -j) / j;
  return divideUp(2 * margin * (sum + Math.log(candidates / counted)), epsilon);
}
