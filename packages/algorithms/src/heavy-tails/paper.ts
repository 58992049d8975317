import type { Paper } from '../paper.js';
import { heavyTailsOptimizers } from './optimizers.js';

/** Lowy and Razaviyayn 2022. */
export const heavyTails: Paper = {
  id: 'heavy-tails',
  keys: ['lowy', 'lowy-razaviyayn'],
  title: 'Private Stochastic Optimization with Large Worst-Case Lipschitz Parameter',
  optimizers: heavyTailsOptimizers,
  claims: '@lethe/algorithms/heavy-tails/claims.json',
};
