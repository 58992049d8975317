import { acceleratedDpSgd } from './accelerated-dp-sgd.js';
import { acceleratedDpSrgd } from './accelerated-dp-srgd.js';
import { recursiveDpSgd } from './recursive-dp-sgd.js';

/** The private optimizers of this folder. */
export const recursiveGradientsOptimizers = [acceleratedDpSrgd, acceleratedDpSgd, recursiveDpSgd] as const;
