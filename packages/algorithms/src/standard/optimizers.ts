import { dpSgd } from './dp-sgd.js';
import { adaptiveDpSgd } from './adaptive-dp-sgd.js';
import { oneRecordSgd } from './one-record-sgd.js';
import { dpFtrl } from './dp-ftrl.js';
import { onlineToBatch } from './online-to-batch.js';
import { phasedErm } from './phased-erm.js';
import { phasedSgd } from './phased-sgd.js';
import { localizedAcSa } from './localized-ac-sa.js';
import { snowballSgd } from './snowball-sgd.js';
import { dpSvrg } from './dp-svrg.js';

/** The private optimizers of this folder. */
export const standardOptimizers = [
  dpSgd,
  adaptiveDpSgd,
  dpFtrl,
  oneRecordSgd,
  onlineToBatch,
  phasedErm,
  phasedSgd,
  snowballSgd,
  localizedAcSa,
  dpSvrg,
] as const;
