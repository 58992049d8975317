import { biasReducedSgd } from './bias-reduced-sgd.js';
import { outputPerturbation } from './output-perturbation.js';
import { sparseExponential } from './sparse-exponential.js';

/** The private optimizers of this folder. */
export const sparseGradientsOptimizers = [biasReducedSgd, outputPerturbation, sparseExponential] as const;
