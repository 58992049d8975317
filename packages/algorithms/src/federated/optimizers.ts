import { dpFedAvg } from './dp-fedavg.js';
import { dpMu2Sgd } from './dp-mu2-sgd.js';
import { parallelSgd } from './parallel-sgd.js';

/** The private optimizers of this folder. */
export const federatedOptimizers = [dpMu2Sgd, parallelSgd, dpFedAvg] as const;
