export { dpSgd } from './abadi/dp-sgd.js';
export { acSa, type AcSaOptions, type AcSaState } from './lowy/ac-sa.js';
export { acSaExcessRisk, momentumAt, productAt, proximityAt, type AcSaError } from './lowy/ac-sa-schedule.js';
export { declaredMoments, type DeclaredMoments } from './lowy/gradient-moments.js';
export { noisyClippedAcSa } from './lowy/noisy-clipped-ac-sa.js';
export { smoothConvexSchedule, type SmoothConvexFacts, type SmoothConvexOverrides, type SmoothConvexSchedule } from './lowy/smooth-convex-schedule.js';
export { optimizers } from './optimizers.js';
