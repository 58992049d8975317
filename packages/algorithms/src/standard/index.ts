export { dpSgd } from './dp-sgd.js';
export { oneRecordSgd } from './one-record-sgd.js';
export { adaptiveDpSgd } from './adaptive-dp-sgd.js';
export { dpFtrl } from './dp-ftrl.js';
export { onlineToBatch } from './online-to-batch.js';
export { phasedErm } from './phased-erm.js';
export { dpSvrg } from './dp-svrg.js';
export { standardOptimizers } from './optimizers.js';
