import { acceleratedDpSrgd } from './accelerated-dp-srgd.js';

/** The private optimizers of this folder. */
export const recursiveGradientsOptimizers = [acceleratedDpSrgd] as const;
