import { Unsupported } from '@lethe/numerics';
import { dominatingPair } from '@lethe/core';
import { clonesLossDistribution, lazyLossDistribution } from '../amplification/index.js';
import type { Knower } from '../knowledge.js';

/** Messages of ε-private local randomisers in a random order: the number of them shows, and otherwise each hides among its clones. */
export const shuffledLocal: Knower<'core/shuffled-local'> = ({ epsilon, users }, adjacency) => {
  if (adjacency === 'add-remove') {
    throw new Unsupported('a shuffled protocol shows how many users took part; it cannot hide whether one did. Use replace-one or zero-out.', { final: true, adjacency });
  }
  if (epsilon === 0) return { pure: () => 0 };
  return { pure: () => epsilon, pair: () => [dominatingPair('symmetric', lazyLossDistribution(() => clonesLossDistribution(epsilon, users)))] };
};
