import { dpSgd } from './abadi/dp-sgd.js';
import { noisyClippedAcSa } from './lowy/noisy-clipped-ac-sa.js';

/** Every optimizer of this package. */
export const optimizers = [dpSgd, noisyClippedAcSa] as const;
