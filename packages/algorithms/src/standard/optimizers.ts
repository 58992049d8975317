import { dpSgd } from './dp-sgd.js';
import { adaptiveDpSgd } from './adaptive-dp-sgd.js';
import { oneRecordSgd } from './one-record-sgd.js';
import { dpFtrl } from './dp-ftrl.js';
import { dpSvrg } from './dp-svrg.js';

/** The private optimizers of this folder. */
export const standardOptimizers = [dpSgd, adaptiveDpSgd, dpFtrl, oneRecordSgd, dpSvrg] as const;
