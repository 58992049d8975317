import { sparseExponential } from './sparse-exponential.js';
import { outputPerturbation } from './output-perturbation.js';

/** The private optimizers of this folder. */
export const sparseGradientsOptimizers = [outputPerturbation, sparseExponential] as const;
