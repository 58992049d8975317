import type { Paper } from '../paper.js';
import { sparseGradientsOptimizers } from './optimizers.js';

/** The paper: say here by whom, and when. */
export const sparseGradients: Paper = {
  id: 'sparse-gradients',
  keys: ['sparse-gradients'],
  title: 'The paper on sparse gradients',
  optimizers: sparseGradientsOptimizers,
  claims: '@lethe/algorithms/sparse-gradients/claims.json',
};
