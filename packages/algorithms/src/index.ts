export { dpSgd } from './abadi/dp-sgd.js';
export { oneRecordSgd } from './bassily/one-record-sgd.js';
export { acSa, type AcSaOptions, type AcSaState } from './lowy/ac-sa.js';
export { acSaExcessRisk, momentumAt, productAt, proximityAt, type AcSaError } from './lowy/ac-sa-schedule.js';
export { declaredMoments, type DeclaredMoments } from './lowy/gradient-moments.js';
export { noisyClippedAcSa } from './lowy/noisy-clipped-ac-sa.js';
export { smoothConvexSchedule, type SmoothConvexFacts, type SmoothConvexOverrides, type SmoothConvexSchedule } from './lowy/smooth-convex-schedule.js';
export { averagedMoment } from './lowy/averaged-moment.js';
export { localizedExcessRisk, type LocalizedRun } from './lowy/localized-excess-risk.js';
export { localizedPhases, type LocalizedFacts, type LocalizedOverrides, type LocalizedPhase, type LocalizedSchedule } from './lowy/localized-phases.js';
export { lowyRates, type LowyRate, type LowySetting, type LowySystem } from './lowy/rates.js';
export { regularisedSubgradient, type RegularisedSubgradientOptions, type SubgradientState } from './lowy/regularised-subgradient.js';
export { stronglyConvexBlocks } from './lowy/strongly-convex-blocks.js';
export { subgradientDistanceBound, type SubgradientRun } from './lowy/subgradient-distance.js';
export {
  convexBound, blockwiseRoundBound, printedStronglyConvexBound, roundBound, safeStronglyConvexBound, sharpRoundBound, sharpStronglyConvexBound, stronglyConvexBound,
} from './maranjyan/bounds.js';
export {
  lemmaD8Holds, renyiConversion, renyiSlope, theoremGaussianMu, theoremNoiseMultiplier, theoremNoiseScale, theoremUnitNoise, type TheoremBudget,
} from './maranjyan/calibration.js';
export { sketchedDescent, type DescentState, type SketchedDescent } from './maranjyan/descent.js';
export { dpCd } from './maranjyan/dp-cd.js';
export { dpSkgd, dpSkgdWith } from './maranjyan/dp-skgd.js';
export { exactQuadraticMoments, type QuadraticMoments, type QuadraticRun } from './maranjyan/exact-moments.js';
export { lazyAverage, type LazyAverage, type LazyAverageState } from './maranjyan/lazy-average.js';
export { noisyGradientDescent } from './maranjyan/noisy-gradient-descent.js';
export { rates, weightedNorm, type Rate, type RateSetting, type System } from './maranjyan/rates.js';
export { convexSchedule, stronglyConvexSchedule, type Schedule, type ScheduleRule } from './maranjyan/schedule.js';
export { separableRisk, type SeparableRun } from './maranjyan/separable-risk.js';
export { skgd } from './maranjyan/skgd.js';
export { optimizers } from './optimizers.js';
export { dpSvrg } from './wang/dp-svrg.js';
