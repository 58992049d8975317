import { noisyClippedAcSa, noisyAcSa } from './noisy-clipped-ac-sa.js';
import { clippedAcSa } from './clipped-ac-sa.js';
import { composedAcSa } from './composed-ac-sa.js';
import { noisyClippedSgd, noisySgd } from './noisy-clipped-sgd.js';
import { noisyClippedProximalSgd, noisyProximalSgd } from './noisy-clipped-proximal-sgd.js';
import { noisyClippedSubgradient } from './noisy-clipped-subgradient.js';
import { localizedSubgradient } from './localized/subgradient.js';
import { localizedStronglyConvex } from './localized/strongly-convex.js';
import { heavyTailedGradientDescent } from './heavy-tailed-gradient-descent.js';

/** The private optimizers of this folder. */
export const heavyTailsOptimizers = [
  noisyClippedAcSa,
  composedAcSa,
  clippedAcSa,
  noisyClippedSgd,
  noisyClippedProximalSgd,
  noisyAcSa,
  noisySgd,
  noisyProximalSgd,
  noisyClippedSubgradient,
  localizedSubgradient,
  localizedStronglyConvex,
  heavyTailedGradientDescent,
] as const;
