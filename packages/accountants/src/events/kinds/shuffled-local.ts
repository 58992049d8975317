import { Unsupported } from '@lethe/numerics';
import { dominatingPair } from '@lethe/core';
import { clonesLossDistribution, lazyLossDistribution } from '../amplification/index.js';
import type { Knower } from '../knowledge.js';

/**
 * Shuffled messages of ε-private local randomisers, by the clones bound. The number of messages is revealed.
 */
export const shuffledLocal: Knower<'core/shuffled-local'> = ({ epsilon, users }, adjacency) => {
  if (adjacency === 'add-remove') {
    throw new Unsupported(
      'a shuffled protocol reveals the number of users, so it has no add-remove guarantee. ' +
        'Use replace-one or zero-out.',
      { final: true, adjacency },
    );
  }
  if (epsilon === 0) return { pure: () => 0 };
  return {
    pure: () => epsilon,
    pair: () => [
      dominatingPair(
        'symmetric',
        lazyLossDistribution(() => clonesLossDistribution(epsilon, users)),
      ),
    ],
  };
};
