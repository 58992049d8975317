import type { Paper } from '../paper.js';
import { sparseGradientsOptimizers } from './optimizers.js';

/** Ghazi, Guzmán, Kamath, Kumar and Manurangsi 2024. */
export const sparseGradients: Paper = {
  id: 'sparse-gradients',
  keys: ['ghazi', 'ghazi-2024'],
  title: 'Differentially Private Optimization with Sparse Gradients',
  optimizers: sparseGradientsOptimizers,
  claims: '@lethe/algorithms/sparse-gradients/claims.json',
};
