import type { Paper } from '../paper.js';
import { recursiveGradientsOptimizers } from './optimizers.js';

/** Choquette-Choo, Ganesh and Thakurta 2024. */
export const recursiveGradients: Paper = {
  id: 'recursive-gradients',
  keys: ['choquette-choo', 'choquette-choo-2024'],
  title: 'Near-Optimal Rates for O(1)-Smooth DP-SCO with a Single Epoch and Large Batches',
  optimizers: recursiveGradientsOptimizers,
  claims: '@lethe/algorithms/recursive-gradients/claims.json',
};
