import { addUp } from '@lethe/numerics';
import type { CoreEventKind } from '@lethe/core';
import { combiners } from '../combine.js';
import type { Knower } from '../knowledge.js';
import { failingPairs } from '../pairs/index.js';
import { exponential, randomizedResponse } from './choice.js';
import { compoundsBy, filtered } from './compound.js';
import { approximate, free, pure, renyi, shuffled, unprotected, verified, zcdp } from './declared.js';
import { group } from './group.js';
import { gaussianMixture, gaussianMixturePair } from './mixtures.js';
import { discreteGaussian, discreteLaplace, gaussian, laplace, prefixSum } from './noise.js';
import { sampled } from './sampled/index.js';
import { selection } from './selection.js';
import { shuffledLocal } from './shuffled-local.js';

/** The outcome is that of `event`, except with probability `delta` for all data. */
const failing: Knower<'core/failing'> = ({ delta, event }, adjacency, nested) => ({
  approximate: () => {
    const inner = nested(event, 'approximate', adjacency, 'event');
    return { epsilon: inner.epsilon, delta: Math.min(1, addUp(delta, inner.delta)) };
  },
  pair: () => failingPairs(delta, nested(event, 'pair', adjacency, 'event')),
});

/** Characterisations of each core event kind. */
export const knowers: { readonly [K in CoreEventKind]: Knower<K> } = {
  'core/gaussian': gaussian,
  'core/laplace': laplace,
  'core/discrete-gaussian': discreteGaussian,
  'core/discrete-laplace': discreteLaplace,
  'core/gaussian-mixture': gaussianMixture,
  'core/gaussian-mixture-pair': gaussianMixturePair,
  'core/exponential': exponential,
  'core/randomized-response': randomizedResponse,
  'core/pure': pure,
  'core/approximate': approximate,
  'core/zcdp': zcdp,
  'core/renyi': renyi,
  ...compoundsBy(combiners),
  'core/sampled': sampled,
  'core/shuffled': shuffled,
  'core/shuffled-local': shuffledLocal,
  'core/prefix-sum': prefixSum,
  'core/selection': selection,
  'core/negative-binomial-selection': selection,
  'core/poisson-selection': selection,
  'core/group': group,
  'core/failing': failing,
  'core/filtered': filtered,
  'core/verified': verified,
  'core/unprotected': unprotected,
  'core/free': free,
};
