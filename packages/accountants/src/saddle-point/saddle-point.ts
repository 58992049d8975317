import type { Bounds } from '@lethe/numerics';
import type { DominatingPair } from '@lethe/core';
import { accountantOf, type Found } from '../accountant/certify.js';
import { questionOf } from '../pld/bounds-of-product.js';
import type { Goal } from '../pld/growth.js';
import { deltaBounds, epsilonBounds, leastDelta, type Tilted } from './curve.js';

/**
 * The largest upper bound over both directions, and the largest lower bound of those that some neighbours
 * attain. The dearer direction comes first; another one is left out where Chernoff's bound shows that it
 * changes nothing. Without a goal none is.
 */
function worst(
  pairs: readonly DominatingPair[],
  goal: Goal | undefined,
  boundsOf: (pair: DominatingPair) => Tilted,
): Found {
  let bounds: Bounds = { lower: 0, upper: 0 };
  let method = 'saddle-point';
  const asked =
    pairs.length === 1 || goal === undefined
      ? pairs.map((pair) => ({ pair, question: undefined }))
      : pairs
          .map((pair) => ({ pair, question: questionOf(pair.factors, goal) }))
          .toSorted((a, b) => b.question.guess - a.question.guess);
  for (const [i, { pair, question }] of asked.entries()) {
    if (i > 0 && question?.isAtMost(pair.attained ? bounds.lower : bounds.upper) === true) continue;
    const { lower, upper, lambda } = boundsOf(pair);
    if (upper >= bounds.upper) method = `saddle-point: contour through λ = ${lambda.toPrecision(4)}`;
    bounds = {
      lower: Math.max(bounds.lower, pair.attained ? lower : 0),
      upper: Math.max(bounds.upper, upper),
    };
  }
  return { lower: Math.min(bounds.lower, bounds.upper), upper: bounds.upper, exact: false, method };
}

/**
 * Dominating pairs composed at a saddle point. The cost does not depend on the counts, nor on how small δ is.
 */
export const saddlePoint = accountantOf({
  name: 'saddle-point',
  summary:
    'Composes dominating pairs by an integral through a saddle point, bounded from both sides; ' +
    'as fast for 10⁹ releases as for one, down to δ = 1e-300.',
  source: { id: 'alghamdi-gomez-asoodeh-calmon-kosut-sankar-2023', item: 'Theorems 1 and 4' },
  want: 'pair',
  claims: [],
  epsilon: (pairs, delta, _stated, enough) =>
    // Below `leastDelta` the lower ends are those there, and say nothing about the other direction here.
    worst(pairs, delta < leastDelta ? undefined : { delta }, (pair) => epsilonBounds(pair, delta, enough)),
  delta: (pairs, epsilon, _stated, enough) =>
    worst(pairs, { epsilon }, (pair) => deltaBounds(pair, epsilon, enough)),
});
