import { biasReducedSgd } from './bias-reduced-sgd.js';

/** The private optimizers of this folder. */
export const sparseGradientsOptimizers = [biasReducedSgd] as const;
