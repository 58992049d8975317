import { sensitivityUnder, dominatingPair } from '@lethe/core';
import { Unsupported, divideUp, log1pUp, multiplyUp } from '@lethe/numerics';
import type { Knower, Knowledge } from '../knowledge.js';
import {
  boundedRangeLossDistribution,
  noPairs,
  randomizedResponseLossDistribution,
  symmetricPairs,
} from '../pairs/index.js';
import { boundedRangeRenyi, exchangeRenyi } from '../renyi/index.js';

/**
 * The exponential mechanism at ε is ε-DP, and for each pair of neighbours its losses lie in an interval of
 * length ε.
 */
export const exponential: Knower<'core/exponential'> = (event, adjacency): Knowledge => {
  const epsilon = (): number =>
    multiplyUp(event.epsilon, sensitivityUnder(event.sensitivity, adjacency, `the event '${event.kind}'`));
  return {
    pure: epsilon,
    zcdp: () => multiplyUp(multiplyUp(epsilon(), epsilon()), 0.125),
    rdp: () => boundedRangeRenyi(epsilon()),
    pair: () => symmetricPairs(epsilon(), boundedRangeLossDistribution, false),
  };
};

/**
 * Randomised response: with probability `p` the answer is uniform over the `categories`. Neighbours exchange
 * the probabilities of two answers. A null record sends the message of some category or a mixture, so
 * replace-one covers zero-out.
 */
export const randomizedResponse: Knower<'core/randomized-response'> = (
  { p, categories },
  adjacency,
): Knowledge => {
  const supported = (): void => {
    if (adjacency === 'add-remove')
      throw new Unsupported(
        "'core/randomized-response' has no guarantee under add-remove: whether a record answers at all " +
          'is visible. Use replace-one.',
        { adjacency },
      );
  };
  const light = p / categories;
  const epsilon = (): number => {
    supported();
    return p === 0 ? Infinity : log1pUp(divideUp(multiplyUp(1 - p + 2 ** -54, categories), p));
  };
  return {
    pure: () => (p === 1 ? (supported(), 0) : epsilon()),
    rdp: () => {
      supported();
      if (p === 1) return () => 0;
      return p === 0
        ? () => Infinity
        : exchangeRenyi({ heavy: 1 - p + light, light, gap: 1 - p, epsilon: epsilon() });
    },
    pair: () => {
      supported();
      if (p === 1) return noPairs;
      const distribution = randomizedResponseLossDistribution(p, categories);
      return [dominatingPair('symmetric', distribution, p === 0 || distribution.infinite < 1)];
    },
  };
};
