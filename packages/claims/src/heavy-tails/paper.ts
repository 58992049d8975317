import { heavyTailsOptimizers } from '@lethe/algorithms';
import { lowerBounds } from '@lethe/lower-bounds';
import type { Paper } from '../paper.js';
import { heavyTailsChecks } from './index.js';

/** Lowy and Razaviyayn 2022. */
export const heavyTails: Paper = {
  id: 'heavy-tails',
  keys: ['lowy', 'lowy-razaviyayn'],
  title: 'Private Stochastic Optimization with Large Worst-Case Lipschitz Parameter',
  optimizers: heavyTailsOptimizers,
  lowerBounds,
  claims: '@lethe/algorithms/heavy-tails/claims.json',
  checks: () => heavyTailsChecks(),
};
