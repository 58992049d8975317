import type { Domain } from '@lethe/numerics';
import type { Objective } from './objective.js';
import { optimalityGap } from './optimality-gap.js';
import { quadraticStep } from './quadratic-model.js';

/** Methods of an objective over a domain without a regulariser, independent of its values and Hessians. */
export const euclidean = (domain: Domain): Pick<Objective, 'step' | 'slopeTo' | 'gap' | 'residual'> => ({
  step: (w, gradient, matrix) => quadraticStep(w, gradient, matrix, domain),
  slopeTo: (w, gradient, target) => gradient.reduce((sum, entry, j) => sum + entry * (target[j] - w[j]), 0),
  gap: (w, gradient) => optimalityGap(w, gradient, domain),
  residual: (_w, gradient) => Math.sqrt(gradient.reduce((sum, entry) => sum + entry * entry, 0)),
});
