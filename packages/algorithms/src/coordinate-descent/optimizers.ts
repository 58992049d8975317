import { dpSkgd } from './dp-skgd.js';
import { dpCd } from './dp-cd.js';
import { noisyGradientDescent } from './noisy-gradient-descent.js';

/** The private optimizers of this folder. */
export const coordinateDescentOptimizers = [dpSkgd, dpCd, noisyGradientDescent] as const;
