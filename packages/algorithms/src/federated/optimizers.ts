import { dpMu2Sgd } from './dp-mu2-sgd.js';

/** The private optimizers of this folder. */
export const federatedOptimizers = [dpMu2Sgd] as const;
