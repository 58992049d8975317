import type { Paper } from '../paper.js';
import { federatedOptimizers } from './optimizers.js';

/** Reshef and Levy 2024. */
export const federated: Paper = {
  id: 'federated',
  keys: ['reshef-levy', 'reshef-levy-2024', 'dp-mu2-fl'],
  title: 'Private and Federated Stochastic Convex Optimization: Efficient Strategies for Centralized Systems',
  optimizers: federatedOptimizers,
  claims: '@lethe/algorithms/federated/claims.json',
};
